/** Calls of bots, whose formats no client speaks and which answer in ways of their own. */

import { afterEach, expect, test } from "bun:test";
import { startUpstream } from "#network/testing/upstream.ts";
import { coze } from "#providers/coze.ts";
import { dify } from "#providers/dify.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const cozeEvents: readonly (readonly [string, object | string])[] = [
  ["conversation.chat.created", { id: "c1", status: "created" }],
  ["conversation.message.delta", { chat_id: "c1", type: "answer", content: "Hel" }],
  ["conversation.message.delta", { chat_id: "c1", type: "answer", content: "lo" }],
  ["conversation.message.completed", { chat_id: "c1", type: "answer", content: "Hello" }],
  ["conversation.message.completed", { chat_id: "c1", type: "follow_up", content: "More?" }],
  [
    "conversation.chat.completed",
    { id: "c1", status: "completed", usage: { token_count: 15, output_count: 5, input_count: 10 } },
  ],
  ["done", "[DONE]"],
];
const cozeStream = cozeEvents
  .map(([event, data]) => `event:${event}\ndata:${JSON.stringify(data)}\n\n`)
  .join("");

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const difyStream = [
  { event: "workflow_started", conversation_id: "c" },
  { event: "message", message_id: "m1", conversation_id: "c", answer: "Hel" },
  { event: "message", message_id: "m1", conversation_id: "c", answer: "lo" },
  { event: "workflow_finished", conversation_id: "c", data: { outputs: { answer: "Hello" } } },
  { event: "message_end", message_id: "m1", conversation_id: "c", metadata: { usage } },
]
  .map((data) => `data: ${JSON.stringify(data)}\n\n`)
  .join("");
const difyWhole = JSON.stringify({ message_id: "m1", answer: "Hello", metadata: { usage } });

async function ask(provider: Provider, answer: string, given: object, other = "") {
  const type = answer.startsWith("{") ? "application/json" : "text/event-stream";
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${answer.length}\r\n\r\n`;
  const upstream = await startUpstream((socket) => socket.end(head + answer));
  const channel = testChannel({ baseUrl: upstream.url, provider, other });
  const relay = openTestRelay({ channels: [channel] });
  stops.push(relay.stop, upstream.stop);
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }], ...given }),
  });
  const [request = ""] = upstream.requests;
  const [top = "", body = "{}"] = request.split("\r\n\r\n");
  return {
    status: response.status,
    text: await response.text(),
    path: top.split(" ")[1],
    sent: JSON.parse(body || "{}"),
    charges: relay.money.settled.map(({ charge }) => charge),
    sources: relay.money.settled.map(({ log }) => log.usageSource),
    disabled: relay.disabled,
  };
}

/** 10 tokens of input at 2 units and 5 of output at 8. */
const charge = 60;

for (const stream of [false, true]) {
  test(`a bot of Coze is asked in a stream, and its answer comes ${stream ? "as one" : "whole"}`, async () => {
    const { charges, path, sent, status, text } = await ask(coze, cozeStream, { stream });

    expect([status, path, charges]).toEqual([200, "/v3/chat", [charge]]);
    expect(sent).toMatchObject({
      bot_id: "m",
      stream: true,
      auto_save_history: false,
      additional_messages: [{ role: "user", content: "Hi", content_type: "text" }],
    });
    expect(text.includes("lo")).toBe(true);
    expect(text.includes("More?")).toBe(false);
    expect(text.includes("chat.completion.chunk")).toBe(stream);
    if (!stream) expect(text).toContain('"content":"Hello"');
  });

  test(`an app of Dify answers ${stream ? "in a stream" : "whole"} and is charged what it reports`, async () => {
    const answer = stream ? difyStream : difyWhole;
    const { charges, path, sent, status, text } = await ask(dify, answer, { stream });

    expect([status, path, charges]).toEqual([200, "/v1/chat-messages", [charge]]);
    const response_mode = stream ? "streaming" : "blocking";
    expect(sent).toEqual({ inputs: {}, query: "Hi", response_mode, user: "tollgate" });
    const pieces = [...text.matchAll(/"content":"(Hel|lo|Hello)"/g)].map(([, piece]) => piece);
    expect(pieces).toEqual(stream ? ["Hel", "lo"] : ["Hello"]);
  });
}

test("a workflow of Dify has its own path, and its output is the answer", async () => {
  const answer = JSON.stringify({
    workflow_run_id: "w",
    data: { status: "succeeded", outputs: { a: "Hello" } },
  });
  const { path, sent, text } = await ask(dify, answer, {}, "workflow");

  expect(path).toBe("/v1/workflows/run");
  expect(sent).toEqual({ inputs: { query: "Hi" }, response_mode: "blocking", user: "tollgate" });
  expect(text).toContain('"content":"Hello"');
});

/** Answers of Dify without a usage report: a workflow and a chat, whole and streamed. */
const uncounted = {
  "a workflow": {
    other: "workflow",
    whole: { workflow_run_id: "w", data: { status: "succeeded", outputs: { a: "Hello there!" } } },
    events: [
      { event: "workflow_started", workflow_run_id: "w" },
      { event: "text_chunk", workflow_run_id: "w", data: { text: "Hello" } },
      { event: "text_chunk", workflow_run_id: "w", data: { text: " there!" } },
      {
        event: "workflow_finished",
        workflow_run_id: "w",
        data: { status: "succeeded", outputs: { a: "Hello there!" }, total_tokens: 0 },
      },
    ],
  },
  "a chat": {
    other: "",
    whole: { message_id: "m1", answer: "Hello there!", metadata: {} },
    events: [
      { event: "message", message_id: "m1", answer: "Hello" },
      { event: "message", message_id: "m1", answer: " there!" },
      { event: "message_end", message_id: "m1", metadata: {} },
    ],
  },
} as const;

for (const [name, { other, whole, events }] of Object.entries(uncounted)) {
  test(`${name} of Dify that reports no tokens is charged by the gateway's count, whole as streamed`, async () => {
    const stream = events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join("");
    const charges: unknown[] = [];
    for (const answer of [JSON.stringify(whole), stream]) {
      const got = await ask(dify, answer, { stream: answer === stream }, other);
      expect([got.status, got.sources]).toEqual([200, ["local"]]);
      charges.push(got.charges);
    }

    // With the tests' tokenizer: 8 tokens of prompt at 2 units, 3 of output at 8.
    expect(charges).toEqual([[8 * 2 + 3 * 8], [8 * 2 + 3 * 8]]);
  });
}

test("tools are refused for a bot, and nothing is asked or charged", async () => {
  const tools = [{ type: "function", function: { name: "f" } }];
  const { charges, path, status, text } = await ask(dify, difyWhole, { tools });

  expect([status, path, charges]).toEqual([400, undefined, []]);
  expect(text).toContain('"param":"tools"');
});

test("an error inside the stream of a bot is a failed call, and its limit is told as one", async () => {
  for (const [code, told] of [
    [4_013, 429],
    [5_000, 502],
  ] as const) {
    const failed = `event:conversation.chat.failed\ndata:{"last_error":{"code":${code},"msg":"no"}}\n\n`;
    const { charges, status } = await ask(coze, failed, { stream: true });

    expect([code, status, charges]).toEqual([code, told, []]);
  }
});

// Coze refuses with JSON, also where the answer would have been a stream.
test("a bot's refused key is recognised in a call that is not streamed, too", async () => {
  const refused = JSON.stringify({ code: 4_100, msg: "authentication is invalid" });
  for (const stream of [false, true]) {
    const { disabled } = await ask(coze, refused, { stream });
    expect([stream, disabled.length]).toEqual([stream, 1]);
  }
});
