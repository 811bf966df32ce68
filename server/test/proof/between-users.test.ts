/**
 * Two users of a whole installation whose channels have one key each: what an answer of an upstream
 * gave to one of them, only that one may name again, also right after a crash and on another node;
 * what no answer gives, neither may, until root says that the channel's ids are shared.
 */

import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dialect } from "#db/dialect.ts";
import { testDialects } from "#db/testing/database.ts";
import { addChannel, addToken, addUser, setRatio, signIn } from "#test/console.ts";
import { type Gateway, type Home, makeStartedHome, startGateway } from "#test/gateway.ts";

const testMs = 240_000;
const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).toReversed()) await close();
});

/** An upstream of three formats that numbers what it gives. */
function startNumbering() {
  let count = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const { stream = false } = (await request.json()) as { readonly stream?: boolean };
      count += 1;
      if (pathname.includes("generateContent")) return Response.json(generated);
      if (pathname.endsWith("/responses")) {
        const response = responseOf(count);
        if (!stream) return Response.json(response);
        return eventStream([
          { type: "response.created", response: { ...response, output: [] } },
          { type: "response.output_text.delta", delta: "4" },
          { type: "response.completed", response },
        ]);
      }
      if (pathname.endsWith("/messages")) return Response.json(messageOf(count));
      return Response.json(completionOf(count));
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return { url, count: () => count, stop: async () => await server.stop(true) };
}

function eventStream(events: readonly (Body & { readonly type: string })[]): Response {
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}

const responseOf = (number: number) => ({
  id: `resp_${number}`,
  object: "response",
  status: "completed",
  output: [
    { id: `ci_${number}`, type: "code_interpreter_call", container_id: `cntr_${number}` },
    {
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "4" }],
    },
  ],
  usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
});

const messageOf = (number: number) => ({
  id: `msg_${number}`,
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "4" }],
  stop_reason: "end_turn",
  container: { id: `container_${number}` },
  usage: { input_tokens: 9, output_tokens: 5 },
});

const completionOf = (number: number) => {
  const message = { role: "assistant", audio: { id: `audio_${number}`, transcript: "four" } };
  return {
    id: `chatcmpl_${number}`,
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
  };
};

const generated = {
  candidates: [{ content: { role: "model", parts: [{ text: "4" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
};

type Body = Readonly<Record<string, unknown>>;

const messages = [{ role: "user", content: "hi" }];
const responses = { model: "resp", input: messages };
const claude = { model: "claude", max_tokens: 9, messages };
const chat = { model: "chat", messages };

/** What an answer gives, by the number of the upstream's answer, and how a later call names it. */
const given: readonly {
  readonly name: string;
  readonly path: string;
  readonly first: Body;
  readonly later: (number: number) => Body;
}[] = [
  {
    name: "previous_response_id",
    path: "/v1/responses",
    first: responses,
    later: (number) => ({ previous_response_id: `resp_${number}` }),
  },
  {
    name: "previous_response_id of a stream",
    path: "/v1/responses",
    first: { ...responses, stream: true },
    later: (number) => ({ previous_response_id: `resp_${number}` }),
  },
  {
    name: "item_reference",
    path: "/v1/responses",
    first: responses,
    later: (number) => ({
      input: [{ type: "item_reference", id: `msg_${number}` }, ...messages],
    }),
  },
  {
    name: "the container of code",
    path: "/v1/responses",
    first: responses,
    later: (number) => ({ tools: [{ type: "code_interpreter", container: `cntr_${number}` }] }),
  },
  {
    name: "container",
    path: "/v1/messages",
    first: claude,
    later: (number) => ({ container: `container_${number}` }),
  },
  {
    name: "audio.id",
    path: "/v1/chat/completions",
    first: chat,
    later: (number) => ({
      messages: [{ role: "assistant", audio: { id: `audio_${number}` } }, ...messages],
    }),
  },
];

const fileUri = "https://generativelanguage.googleapis.com/v1beta/files/1";
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

/** What no answer gives. */
const foreign: readonly (readonly [name: string, path: string, body: Body])[] = [
  ["conversation", "/v1/responses", { ...responses, conversation: "conv_1" }],
  [
    "file_id",
    "/v1/responses",
    { ...responses, input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] },
  ],
  [
    "vector_store_ids",
    "/v1/responses",
    { ...responses, tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
  ],
  [
    "file_id",
    "/v1/messages",
    {
      ...claude,
      messages: [
        {
          role: "user",
          content: [{ type: "document", source: { type: "file", file_id: "file_1" } }],
        },
      ],
    },
  ],
  [
    "file_id",
    "/v1/chat/completions",
    {
      ...chat,
      messages: [{ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }],
    },
  ],
  [
    "cachedContent",
    "/v1beta/models/gem:generateContent",
    { contents, cachedContent: "cachedContents/1" },
  ],
  [
    "fileUri",
    "/v1beta/models/gem:generateContent",
    { contents: [{ role: "user", parts: [{ fileData: { fileUri } }] }] },
  ],
];

const models = [
  { model: "resp", type: 1, wire: "openai-responses" },
  { model: "chat", type: 1, wire: "openai-chat" },
  { model: "claude", type: 14, wire: "anthropic-messages" },
  { model: "gem", type: 24, wire: "gemini-generate" },
];

/** Starts the gateway of a home; with a folder of its own, as a further node. */
async function start(home: Home, isFurther = false): Promise<Gateway> {
  const folder = isFurther ? mkdtempSync(join(tmpdir(), "tollgate-node-")) : undefined;
  const gateway = await startGateway(
    home,
    folder === undefined ? {} : { env: { TOLLGATE_DATA_DIR: folder } },
  );
  closes.push(async () => {
    await gateway.kill();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  return gateway;
}

async function open(dialect: Dialect) {
  const upstream = startNumbering();
  const home = await makeStartedHome(dialect);
  closes.push(upstream.stop, home.remove);
  const gateway = await start(home);
  const root = await signIn(gateway.origin);
  const channels: { readonly id: number; readonly wire: string }[] = [];
  for (const { model, type, wire } of models) {
    await setRatio(root, "ModelRatio", model, 1);
    const setting = JSON.stringify({ wire });
    const id = await addChannel(root, { type, base_url: upstream.url, models: model, setting });
    channels.push({ id, wire });
  }
  const keys: string[] = [];
  for (const _ of ["ada", "ben"]) {
    const client = await addUser(root, gateway.origin, 100_000_000);
    keys.push((await addToken(client)).key);
  }
  const [ada = "", ben = ""] = keys;
  const ask = async (origin: string, key: string, path: string, body: Body) => {
    const before = upstream.count();
    const answer = await fetch(`${origin}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, text, isSent: upstream.count() > before };
  };
  return { ada, ask, ben, channels, gateway, home, root, upstream };
}

const refused = { status: 400, isSent: false };
const served = { status: 200, isSent: true };

for (const dialect of testDialects) {
  test(
    `what an answer gave one user, only that user may name, on ${dialect}`,
    async () => {
      const { ada, ask, ben, gateway, home, upstream } = await open(dialect);
      const names: (readonly [name: string, path: string, body: Body])[] = [];
      for (const { first, later, name, path } of given) {
        expect(await ask(gateway.origin, ada, path, first)).toMatchObject(served);
        const body = { ...first, ...later(upstream.count()) };
        names.push([name, path, body]);
        const foreigner = await ask(gateway.origin, ben, path, body);
        expect([name, foreigner]).toMatchObject([name, refused]);
        expect(foreigner.text).toContain("Ids are shared");
        expect([name, await ask(gateway.origin, ada, path, body)]).toMatchObject([name, served]);
      }
      // A crash right behind the answer loses none of it.
      const last = { ...responses, stream: true };
      expect(await ask(gateway.origin, ada, "/v1/responses", last)).toMatchObject(served);
      names.push([
        "the last response",
        "/v1/responses",
        { ...responses, previous_response_id: `resp_${upstream.count()}` },
      ]);
      await gateway.kill();
      const nodes = [await start(home)];
      if (dialect === "postgres") nodes.push(await start(home, true));
      for (const { origin } of nodes) {
        for (const [name, path, body] of names) {
          expect([name, await ask(origin, ben, path, body)]).toMatchObject([name, refused]);
          expect([name, await ask(origin, ada, path, body)]).toMatchObject([name, served]);
        }
      }
    },
    testMs,
  );

  test(
    `what no answer gives, no user may name, until root shares the channel's ids, on ${dialect}`,
    async () => {
      const { ada, ask, ben, channels, gateway, root } = await open(dialect);
      const { origin } = gateway;
      const unknown = { ...responses, previous_response_id: "resp_of_another_program" };
      const cases = [...foreign, ["previous_response_id", "/v1/responses", unknown] as const];
      for (const [name, path, body] of cases) {
        const answer = await ask(origin, ada, path, body);
        expect([name, answer]).toMatchObject([name, refused]);
        const isGoogle = path.includes("generateContent");
        const error = (JSON.parse(answer.text) as { readonly error: Body }).error;
        // In the caller's own format.
        expect(typeof error[isGoogle ? "status" : "type"]).toBe("string");
      }
      for (const { id, wire } of channels) {
        const setting = JSON.stringify({ wire, shares_ids: true });
        await root.call("PUT", "/api/channel/", { id, setting });
      }
      for (const [name, path, body] of cases) {
        expect([name, await ask(origin, ben, path, body)]).toMatchObject([name, served]);
      }
    },
    testMs,
  );
}
