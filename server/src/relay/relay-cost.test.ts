import { afterEach, expect, test } from "bun:test";
import { anthropic } from "#providers/anthropic.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";
import {
  done,
  event,
  finish,
  role,
  shownStream,
  streamHead,
  usageEvent,
  words,
} from "./testing/stream.ts";

/** A server of the chat format alone, as most compatible ones are. */
const chatOnly: Provider = {
  ...openai,
  formats: { "openai-chat": { paths: { chat: "/v1/chat/completions" }, asksForUsage: true } },
};

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Route = { readonly provider?: Provider; readonly path?: string };

/** Charged as 10 input tokens at 2 and 5 output tokens at 8: 60 quota units. */
const dollars = 0.00012;
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** Calls through an upstream that answers with these bytes, and returns what it was asked. */
async function ask(
  answer: string,
  fields: object = {},
  { provider = openai, path = "/v1/chat/completions" }: Route = {},
) {
  const asked: string[] = [];
  const upstream = await startUpstream((socket, request) => {
    asked.push(request);
    socket.end(answer);
  });
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url, provider })] });
  stops.push(relay.stop, upstream.stop);
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...fields }),
  });
  const text = await response.text();
  return { text, cost: response.headers.get("x-tollgate-cost"), asked: asked.join("") };
}

const stream = (options?: object) => ({ stream: true, stream_options: options });
const withCost = { include_cost: true, include_usage: true };
const events = (text: string) =>
  text
    .split("\n\n")
    .filter((each) => each.startsWith("data: {"))
    .map((each) => JSON.parse(each.slice("data: ".length)));

test("a whole answer tells its cost in dollars in a header; the body stays as it came", async () => {
  const body = JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Hello there!" } }],
    usage,
  });
  const { text, cost } = await ask(jsonAnswer(body));
  expect(cost).toBe("0.00012");
  expect(text).toBe(body);
});

test("an answer that is not charged tells no cost", async () => {
  const { cost } = await ask(jsonAnswer('{"error":{"message":"no"}}', "400 Bad Request"));
  expect(cost).toBeNull();
});

test("a stream tells its cost in its usage, when asked; the upstream is not asked for it", async () => {
  const answer = streamHead + role + words("Hello") + words(" there!") + finish + usageEvent + done;
  for (const options of [withCost, { include_cost: true }]) {
    const { text, asked } = await ask(answer, stream(options));
    expect(events(text).at(-1)).toEqual({ choices: [], usage: { ...usage, cost: dollars } });
    expect(text.startsWith(role + words("Hello") + words(" there!"))).toBe(true);
    expect(text.endsWith(done)).toBe(true);
    expect(asked).toContain('"stream_options":{"include_usage":true}');
    expect(asked).not.toContain("include_cost");
  }
});

test("a stream whose usage has gone out, or never came, gets an event with usage and cost of its own", async () => {
  const early = role + words("Hello") + event({ choices: [{ index: 0, delta: {} }], usage });
  const answer = streamHead + early + words(" there!") + finish + done;
  const { text } = await ask(answer, stream(withCost));
  expect(events(text).at(-1)).toMatchObject({
    object: "chat.completion.chunk",
    model: "m",
    choices: [],
    usage: { ...usage, cost: dollars },
  });
  expect(text.endsWith(done)).toBe(true);
});

test("a stream that is not asked for its cost has none, and the field never reaches the upstream", async () => {
  const answer = streamHead + role + words("Hello") + words(" there!") + finish + usageEvent + done;
  expect((await ask(answer, { stream: true })).text).toBe(shownStream);
  const refused = await ask(answer, stream({ include_cost: false, include_usage: true, other: 1 }));
  expect(refused.text).not.toContain("cost");
  expect(refused.asked).toContain('"stream_options":{"include_usage":true,"other":1}');
  const wrong = await ask(answer, stream({ include_cost: "yes" }));
  expect(JSON.parse(wrong.text).error).toMatchObject({
    message: expect.stringContaining("stream_options.include_cost is invalid"),
  });
});

/** The same usage as an upstream of Messages reports it, whole and as a stream. */
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Hello there!" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
};
const messageEvents = [
  { type: "message_start", message: { ...message, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello there!" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];
const messageStream =
  streamHead +
  messageEvents.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("");

test("a translated answer tells its cost in the header, whatever the client's format", async () => {
  const toMessages = { provider: anthropic };
  expect((await ask(jsonAnswer(JSON.stringify(message)), {}, toMessages)).cost).toBe("0.00012");
  const chat = JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Hello there!" } }],
    usage,
  });
  const messages = { path: "/v1/messages", provider: chatOnly };
  expect((await ask(jsonAnswer(chat), { max_tokens: 500 }, messages)).cost).toBe("0.00012");
});

test("a translated stream tells its cost in its usage, when asked", async () => {
  const toMessages = { provider: anthropic };
  for (const options of [withCost, { include_cost: true }]) {
    const { text, asked } = await ask(messageStream, stream(options), toMessages);
    expect(events(text).at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 5, cost: dollars },
    });
    expect(text.match(/"cost"/g)).toHaveLength(1);
    expect(text.endsWith(done)).toBe(true);
    expect(asked).not.toContain("include_cost");
  }
  const plain = await ask(messageStream, stream({ include_usage: true }), toMessages);
  expect(plain.text).not.toContain("cost");
});
