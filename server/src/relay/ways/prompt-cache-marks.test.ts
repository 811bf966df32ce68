import { afterEach, expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { anthropic } from "#providers/anthropic.ts";
import { deepseek } from "#providers/deepseek.ts";
import { openai } from "#providers/openai.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const answers = {
  messages: JSON.stringify({
    id: "m1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
  chat: JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
};

/** Opens a relay with one channel, and returns what its upstream is sent. */
async function open(answer: string, given: Partial<ChannelView>) {
  const upstream = await startUpstream((socket) => socket.end(jsonAnswer(answer)));
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: upstream.url, marksCaches: true, ...given })],
  });
  stops.push(relay.stop, upstream.stop);
  return async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(relay.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, ...headers },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.text()).toBe(200);
    const text = upstream.requests.at(-1)?.split("\r\n\r\n")[1] ?? "";
    // Safe cast: the relay sends JSON objects.
    return { text, body: JSON.parse(text) as JsonObject };
  };
}

const long = "word ".repeat(1_000);
const mark = { cache_control: { type: "ephemeral" } };
const asked = (given: object) => ({
  model: "m",
  max_tokens: 10,
  messages: [{ role: "user", content: long }],
  ...given,
});
const messages = "/v1/messages";

test("a channel that marks caches ends them after the instructions and after the last message, and nowhere else", async () => {
  const send = await open(answers.messages, { provider: anthropic });
  const { body } = await send(
    messages,
    asked({
      system: long,
      messages: [
        { role: "user", content: "first" },
        { role: "assistant", content: "answer" },
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
    }),
  );
  expect(body["system"]).toEqual([{ type: "text", text: long, ...mark }]);
  expect(body["messages"]).toEqual([
    { role: "user", content: "first" },
    { role: "assistant", content: "answer" },
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b", ...mark },
      ],
    },
  ]);
});

test("without instructions the tools end what many conversations share", async () => {
  const send = await open(answers.messages, { provider: anthropic });
  const tool = (name: string) => ({ name, description: long, input_schema: { type: "object" } });
  const { body } = await send(messages, asked({ tools: [tool("a"), tool("b")] }));
  expect(body["tools"]).toEqual([tool("a"), { ...tool("b"), ...mark }]);
});

test("nothing is marked where the client marks by itself, where the prompt is too short, or where nobody has turned it on", async () => {
  const own = [{ type: "text", text: long, ...mark }];
  for (const [what, given, body] of [
    ["own mark", {}, asked({ system: own })],
    ["own mark at a tool result", {}, asked({ messages: [{ role: "user", content: own }] })],
    ["short", {}, asked({ messages: [{ role: "user", content: "hi" }] })],
    ["off", { marksCaches: false }, asked({ system: long })],
  ] as const) {
    const send = await open(answers.messages, { provider: anthropic, ...given });
    const { text } = await send(messages, body);
    expect(text, what).toBe(JSON.stringify(body));
  }
});

test("a model whose vendor caches only longer prompts is marked only above them", async () => {
  const models = new Set(["claude-haiku-4-5", "claude-sonnet-4-5"]);
  const modelMapping = new Map([["m", "claude-haiku-4-5"]]);
  const haiku = await open(answers.messages, {
    provider: anthropic,
    models: new Set(["m"]),
    modelMapping,
  });
  expect((await haiku(messages, asked({}))).text).not.toContain("cache_control");
  expect(models.size).toBe(2);
  const four = "word ".repeat(4_000);
  const { text } = await haiku(messages, asked({ messages: [{ role: "user", content: four }] }));
  expect(text).toContain("cache_control");
});

test("a translated call is marked as one that is passed on", async () => {
  const send = await open(answers.messages, { provider: anthropic });
  const { body } = await send("/v1/chat/completions", {
    model: "m",
    max_tokens: 10,
    messages: [
      { role: "system", content: long },
      { role: "user", content: "hi" },
    ],
  });
  expect(JSON.stringify(body).split("cache_control")).toHaveLength(3);
});

test("OpenAI gets a keyed hash of the conversation's mark as its cache key, others nothing, and a client's own stays", async () => {
  const hi = { model: "m", messages: [{ role: "user", content: "hi" }] };
  const path = "/v1/chat/completions";
  const named = { "x-session-id": "secret name" };
  const send = await open(answers.chat, { provider: openai });
  const { body, text } = await send(path, hi, named);
  expect(body["prompt_cache_key"]).toMatch(/^[0-9a-zA-Z_-]{20,64}$/);
  expect(text).not.toContain("secret name");
  expect((await send(path, hi, named)).body["prompt_cache_key"]).toBe(body["prompt_cache_key"]);
  const another = (await send(path, hi, { "x-session-id": "other" })).body["prompt_cache_key"];
  expect(another).not.toBe(body["prompt_cache_key"]);
  expect(
    (await send(path, { ...hi, prompt_cache_key: "own" }, named)).body["prompt_cache_key"],
  ).toBe("own");
  expect((await send(path, hi)).text).toBe(JSON.stringify(hi));

  const elsewhere = await open(answers.chat, { provider: deepseek });
  expect((await elsewhere(path, hi, named)).body["prompt_cache_key"]).toBeUndefined();
});
