/** Answers of Responses that the gateway keeps, so that any upstream can go on with them. */

import { afterEach, expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { anthropic } from "#providers/anthropic.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey, testUser } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const message = {
  type: "message",
  role: "assistant",
  model: "claude",
  content: [
    { type: "thinking", thinking: "Sum.", signature: "c2lnbmVk" },
    { type: "text", text: "4" },
  ],
  stop_reason: "end_turn",
  usage: { input_tokens: 9, output_tokens: 5 },
};

const sse = (events: readonly object[]): string => {
  const body = events
    .map((event) => `event: ${String(Object.values(event)[0])}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

const messageEvents = [
  { type: "message_start", message: { ...message, content: [], id: "msg_1" } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "4" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

type Sent = {
  readonly stream?: boolean;
  readonly messages?: unknown;
  readonly input?: unknown;
  readonly previous_response_id?: unknown;
};

/** Opens a relay over one channel of this provider, whose upstream says whether it keeps answers. */
async function open(
  provider: Provider,
  keepsAnswersDays: number,
  { upstreamKeeps = false }: { readonly upstreamKeeps?: boolean } = {},
) {
  const seen: Sent[] = [];
  const upstream = await startUpstream((socket, request) => {
    // Safe cast: the relay has written it.
    const sent = JSON.parse(request.slice(request.indexOf("\r\n\r\n"))) as Sent;
    seen.push(sent);
    if (request.startsWith("POST /v1/messages")) {
      const id = `msg_${seen.length}`;
      const whole = jsonAnswer(JSON.stringify({ ...message, id }));
      return void socket.write(sent.stream === true ? sse(messageEvents) : whole);
    }
    const said = { type: "message", role: "assistant", id: "msg_up" };
    const answer = {
      id: `resp_up_${seen.length}`,
      object: "response",
      status: "completed",
      store: upstreamKeeps,
      output: [{ ...said, content: [{ type: "output_text", text: "4" }] }],
      usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
    };
    socket.write(jsonAnswer(JSON.stringify(answer)));
  });
  const channels = [testChannel({ baseUrl: upstream.url, provider, models: new Set(["m"]) })];
  const relay = openTestRelay({ channels, options: { keepsAnswersDays } });
  stops.push(relay.stop, upstream.stop);
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${relay.url}/v1/responses${path}`, {
      method,
      headers: { authorization: `Bearer ${testKey}` },
      ...(body === undefined ? {} : { body: JSON.stringify({ model: "m", ...body }) }),
    });
    const text = await response.text();
    const last = text.trim().split("\n").at(-1) ?? "";
    const answer = text.startsWith("{")
      ? (JSON.parse(text) as Record<string, unknown>)
      : (JSON.parse(last.replace("data: ", "")) as { response: Record<string, unknown> }).response;
    return { status: response.status, answer, id: String(answer["id"]) };
  };
  const post = async (body: object) => await ask("POST", "", body);
  return { relay, seen, ask, post };
}

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

test("where nothing is kept, an answer says so, and its id is refused by the field's name", async () => {
  for (const provider of [anthropic, openai]) {
    const { post, seen } = await open(anthropic, 0);
    const first = await post({ input: "2+2?" });
    expect(first.answer).toMatchObject({ store: false, previous_response_id: null });

    const other = provider === anthropic ? { post, seen } : await open(provider, 0);
    const before = other.seen.length;
    const second = await other.post({ input: "and 3+3?", previous_response_id: first.id });
    expect(second).toMatchObject({
      status: 400,
      answer: {
        error: {
          code: "unsupported_parameter",
          param: "previous_response_id",
        },
      },
    });
    expect(other.seen.length).toBe(before);
  }
});

for (const stream of [false, true]) {
  test(`a kept answer is continued at an upstream of another format, ${stream ? "streamed" : "whole"}`, async () => {
    const { post, seen } = await open(anthropic, 30);
    const first = await post({ stream, input: "2+2?" });
    expect(first.answer).toMatchObject({ store: true, previous_response_id: null });
    const second = await post({ stream, input: "3+3?", previous_response_id: first.id });
    expect(second.answer).toMatchObject({ store: true, previous_response_id: first.id });
    expect((await post({ input: "and?", previous_response_id: second.id })).status).toBe(200);

    const thinking = stream ? [] : [message.content[0]];
    const said = { role: "assistant", content: [...thinking, { type: "text", text: "4" }] };
    expect(seen[1]?.messages).toEqual([user("2+2?"), said, user("3+3?")]);
    expect(seen[2]?.messages).toEqual([user("2+2?"), said, user("3+3?"), said, user("and?")]);
  });
}

test("a kept answer goes on in its own format with all its input, and without the id", async () => {
  const { post, seen } = await open(openai, 30);
  const first = await post({ input: [{ role: "user", content: "2+2?" }] });
  const second = await post({ input: "3+3?", previous_response_id: first.id });

  expect(second.status).toBe(200);
  const content = [{ type: "output_text", text: "4" }];
  expect(seen[1]).toEqual({
    model: "m",
    input: [
      { role: "user", content: "2+2?" },
      { type: "message", role: "assistant", content },
      { type: "message", role: "user", content: [{ type: "input_text", text: "3+3?" }] },
    ],
  } as Sent);
});

test("what the upstream keeps, or the client does not want kept, is not kept here", async () => {
  const kept = await open(openai, 30, { upstreamKeeps: true });
  const first = await kept.post({ input: "2+2?" });
  await kept.post({ input: "3+3?", previous_response_id: first.id });
  expect(kept.seen[1]).toMatchObject({ input: "3+3?", previous_response_id: first.id });
  expect((await kept.ask("GET", `/${first.id}`)).status).toBe(404);

  const unwanted = await open(anthropic, 30);
  const other = await unwanted.post({ input: "2+2?", store: false });
  expect(other.answer).toMatchObject({ store: false });
  expect(await unwanted.post({ input: "?", previous_response_id: other.id })).toMatchObject({
    status: 400,
    answer: { error: { code: "previous_response_not_found", param: "previous_response_id" } },
  });
});

test("a kept answer is read, its input listed in pages, and deleted, by its user alone", async () => {
  const { ask, post, relay } = await open(anthropic, 30);
  const input = ["a", "b", "c"].map((content) => ({ role: "user", content }));
  const { answer, id } = await post({ input });
  const path = `/${id}`;

  relay.callers.user = { id: testUser.id + 1 };
  relay.callers.token = { userId: testUser.id + 1 };
  expect((await ask("GET", path)).status).not.toBe(200);
  relay.callers.user = {};
  relay.callers.token = {};

  expect((await ask("GET", path)).answer).toEqual(answer);
  const page = (await ask("GET", `${path}/input_items?limit=2`)).answer;
  expect(page).toMatchObject({
    object: "list",
    data: [{ content: "c" }, { content: "b" }],
    has_more: true,
  });
  const next = await ask("GET", `${path}/input_items?limit=2&after=${String(page["last_id"])}`);
  expect(next.answer).toMatchObject({ data: [{ content: "a" }], has_more: false });
  expect((await ask("GET", `${path}/input_items?limit=0`)).status).toBe(400);

  expect(await ask("DELETE", path)).toMatchObject({ status: 200, answer: { id, deleted: true } });
  for (const [method, end] of [
    ["GET", ""],
    ["DELETE", ""],
    ["GET", "/input_items"],
  ] as const) {
    expect(await ask(method, path + end)).toMatchObject({
      status: 404,
      answer: { error: { type: "invalid_request_error", code: "response_not_found" } },
    });
  }
});

test("a conversation that has grown beyond the largest request is refused", async () => {
  const { post, relay } = await open(anthropic, 30);
  relay.answers.keep({
    id: "resp_tollgate_long",
    userId: testUser.id,
    input: Buffer.from(JSON.stringify("x".repeat(999_900))),
    answer: Buffer.from(JSON.stringify({ output: [] })),
  });
  expect((await post({ input: "?", previous_response_id: "resp_tollgate_long" })).status).toBe(413);
});
