/** Tags of what is no single request: each response of a session, each turn of a socket, and tasks. */

import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import type { TaskDesk } from "#ports/task-desk.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey, type TestRelay } from "./testing/relay.ts";
import { connectResponses } from "./testing/responses-socket.ts";
import { streamHead, wholeStream } from "./testing/stream.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const token = { tags: ["team:search"] };
const header = { "x-tollgate-tag-customer": "acme" };
const both = ["team:search", "customer:acme"];

const tagsIn = (relay: TestRelay) => relay.money.settled.map(({ log }) => log.tags);

/** Opens a relay, and an upstream with sessions that answers each message with these events. */
function openSessions(provider: Provider, answer: (message: string) => readonly object[]) {
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, server) =>
      server.upgrade(request) ? undefined : new Response("no", { status: 400 }),
    websocket: {
      message(socket, text) {
        for (const event of answer(String(text))) socket.send(JSON.stringify(event));
      },
    },
  });
  const baseUrl = `http://127.0.0.1:${upstream.port}`;
  const relay = openTestRelay({ channels: [testChannel({ baseUrl, provider })], token });
  stops.push(relay.stop, () => upstream.stop(true));
  return relay;
}

/** Connects with header fields, as programs on servers do. */
function connect(relay: TestRelay, path: string, headers: Readonly<Record<string, string>>) {
  const given = { headers: { authorization: `Bearer ${testKey}`, ...headers } };
  // Safe cast: Bun's client takes header fields, which the types of browsers do not know.
  const options = given as unknown as string[];
  const socket = new WebSocket(`${relay.url.replace("http", "ws")}${path}`, options);
  const opened = new Promise((resolve) => socket.addEventListener("open", resolve));
  stops.push(() => socket.close());
  return {
    async send(message: object) {
      await opened;
      socket.send(JSON.stringify(message));
    },
  };
}

const usage = { total_tokens: 3, input_tokens: 2, output_tokens: 1 };

test("each response of a realtime session has the tags of its key and of the session's headers", async () => {
  const relay = openSessions(openai, (text) =>
    text.includes("response.create")
      ? [
          { type: "response.created" },
          { type: "response.done", response: { status: "completed", usage } },
        ]
      : [],
  );
  const { send } = connect(relay, "/v1/realtime?model=m", header);
  await send({ type: "response.create", response: { metadata: { no: "tag" } } });
  await eventually(() => tagsIn(relay).length === 1);
  await send({ type: "response.create" });
  await eventually(() => tagsIn(relay).length === 2);
  expect(tagsIn(relay)).toEqual([both, both]);
  expect(new Set(relay.money.asked.map(({ tags }) => tags))).toEqual(new Set([both.join("\n")]));
});

test("each turn of a session whose first message names the model has these tags, too", async () => {
  const counts = { promptTokenCount: 2, responseTokenCount: 1, totalTokenCount: 3 };
  const relay = openSessions(gemini, (text) =>
    text.includes('"setup"')
      ? [{ setupComplete: {} }]
      : [
          { serverContent: { modelTurn: { parts: [{ text: "hi" }] } } },
          { serverContent: { turnComplete: true }, usageMetadata: counts },
        ],
  );
  const path = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
  const { send } = connect(relay, path, header);
  await send({ setup: { model: "models/m" } });
  for (const turn of [1, 2]) {
    await send({ clientContent: { turns: [{ parts: [{ text: "hi" }] }], turnComplete: true } });
    await eventually(() => tagsIn(relay).length === turn);
  }
  expect(tagsIn(relay)).toEqual([both, both]);
});

/** A server of the chat format alone, as most compatible ones are. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

test("each turn over a WebSocket has its own metadata beside what key and socket say", async () => {
  const upstream = await startUpstream((socket) => void socket.end(streamHead + wholeStream));
  const channels = [testChannel({ baseUrl: upstream.url, provider: chatOnly, sharesIds: true })];
  const relay = openTestRelay({ channels, token });
  stops.push(relay.stop, upstream.stop);
  const client = connectResponses(relay.url, header);
  stops.push(() => client.socket.close());
  client.create({ input: "hi", metadata: { job: "batch" } });
  await client.ended();
  client.create({ input: "hi", metadata: { job: "nightly" } });
  await client.ended(2);
  client.create({ input: "hi" });
  await client.ended(3);
  expect(tagsIn(relay)).toEqual([[...both, "job:batch"], [...both, "job:nightly"], both]);
});

test("a task has the tags of its key and of its headers, also where it is refused", async () => {
  const found: (readonly string[] | undefined)[] = [];
  const tasks: TaskDesk = {
    find: (method, path) => ({
      platform: "openai-video",
      route: { method: "POST", path, read: () => ({ kind: "fetch", id: "T1" }) },
      segments: [],
      mode: method,
    }),
    async answer({ caller }) {
      found.push(caller?.tags);
      const terms = caller?.terms(["fixed"], null);
      const failure = { status: 502, code: "no", message: "no" };
      if (terms !== undefined) caller?.failed(terms, [], failure);
      (await terms?.hold(1))?.release();
      return await Promise.resolve({ status: 200, headers: {}, body: "{}" });
    },
    refuse: (_found, { status, message }) => ({ status, body: message }),
  };
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: "http://127.0.0.1:9" })],
    token,
    tasks,
  });
  stops.push(relay.stop);
  await fetch(`${relay.url}/v1/videos`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json", ...header },
    body: "{}",
  });
  expect(found).toEqual([both]);
  expect(relay.failures.at(-1)?.tags).toEqual(both);
  expect(relay.money.asked.map(({ tags }) => tags)).toEqual([both.join("\n")]);
});
