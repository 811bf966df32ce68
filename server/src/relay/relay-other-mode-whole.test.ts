/** What an answer has beside its text, in the other mode than it was asked for. */

import { afterEach, expect, test } from "bun:test";
import { ollama } from "#providers/ollama.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import {
  answers,
  ask,
  charges,
  chatUsage,
  clients,
  completed,
  data,
  item,
  jsonHead,
  type Kind,
  kinds,
  openAnswering,
  said,
  textOfStream,
} from "./testing/both-modes.ts";
import { testKey, type TestRelay, type TestRelayOptions } from "./testing/relay.ts";
import { streamHead } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const open = (
  kind: Kind | Provider,
  answer: string,
  given: Omit<TestRelayOptions, "channels"> = {},
): Promise<TestRelay> => openAnswering(stops, kind, answer, given);

const call = (name: string, args: string) => ({
  id: `call_${name}`,
  type: "function",
  function: { name, arguments: args },
});
const longArgs = JSON.stringify({ text: "🙂x".repeat(4_000) });
/** What only its own format has: several answers, reasoning, calls, probabilities. */
const rich: Readonly<Record<Kind, object>> = {
  chat: {
    ...answers.chat.whole,
    service_tier: "default",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          reasoning_content: "hm",
          content: null,
          refusal: null,
          tool_calls: [call("a", longArgs), call("b", "{}")],
        },
        logprobs: { content: [{ token: "x", logprob: -1, bytes: [120], top_logprobs: [] }] },
        finish_reason: "tool_calls",
      },
      {
        index: 1,
        message: { role: "assistant", content: "🙂x".repeat(4_000) },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
  },
  messages: {
    ...answers.messages.whole,
    content: [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "text", text: said, citations: [{ type: "char_location", cited_text: "x" }] },
      { type: "tool_use", id: "toolu_1", name: "a", input: { big: 1, text: "🙂x".repeat(4_000) } },
      { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: "srv_1", content: [{ url: "u" }] },
    ],
    stop_reason: "tool_use",
  },
  responses: {
    ...completed,
    metadata: { a: "b" },
    output: [
      {
        id: "rs_1",
        type: "reasoning",
        summary: [{ type: "summary_text", text: "hm" }],
        encrypted_content: "c2ln",
      },
      item,
      {
        id: "fc_1",
        type: "function_call",
        status: "completed",
        call_id: "call_a",
        name: "a",
        arguments: longArgs,
      },
      { id: "ws_1", type: "web_search_call", status: "completed", action: { query: "q" } },
    ],
  },
  gemini: {
    ...answers.gemini.whole,
    candidates: [
      {
        content: {
          role: "model",
          parts: [
            { text: "hm", thought: true },
            { text: said, thoughtSignature: "c2ln" },
            { functionCall: { name: "a", args: { text: "x" } } },
          ],
        },
        finishReason: "STOP",
        index: 0,
      },
      { content: { role: "model", parts: [{ text: "two" }] }, finishReason: "STOP", index: 1 },
    ],
  },
};

for (const kind of kinds) {
  test(`${kind}: a whole answer that was made a stream and back has lost nothing`, async () => {
    const forward = await open(kind, jsonHead(JSON.stringify(rich[kind])));
    const stream = await (await ask(forward, kind, true)).text();
    expect(stream).not.toContain("\ufffd");
    // The usage that only the gateway had asked for is not shown to the client.
    const usage = kind === "chat" ? data({ choices: [], usage: chatUsage }) : "";
    const back = await open(
      kind,
      streamHead + stream.replace("data: [DONE]", `${usage}data: [DONE]`),
    );
    const body: unknown = await (await ask(back, kind, false)).json();

    expect(body).toEqual(rich[kind]);
    expect(charges(back)).toEqual(charges(forward));
  });
}

async function post(relay: TestRelay, path: string, body: object): Promise<Response> {
  return await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

test("a completion in the other mode is read, too", async () => {
  const whole = {
    id: "cmpl-1",
    object: "text_completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, text: said, logprobs: null, finish_reason: "stop" }],
    usage: chatUsage,
  };
  const asked = { model: "m", prompt: "hi", max_tokens: 500 };
  const forward = await open(openai, jsonHead(JSON.stringify(whole)));
  const answer = await post(forward, "/v1/completions", { ...asked, stream: true });
  const stream = await answer.text();
  expect(stream).toContain(`"text":"${said}"`);
  const usage = data({ choices: [], usage: chatUsage });
  const back = await open(
    openai,
    streamHead + stream.replace("data: [DONE]", `${usage}data: [DONE]`),
  );
  const body: unknown = await (await post(back, "/v1/completions", asked)).json();
  expect(body).toEqual(whole);
  expect(charges(back)).toEqual(charges(forward));
});

test("Google's list of a stream is read wherever it comes", async () => {
  const chunks = answers.gemini.stream.split("\n\n").slice(0, 2);
  const list = jsonHead(`[${chunks.map((line) => line.slice("data: ".length)).join(",\n")}]`);
  for (const client of kinds) {
    const streamed = await open("gemini", list);
    const text = await (await ask(streamed, client, true)).text();
    expect(textOfStream(client, text), client).toBe(said);
    const whole = await open("gemini", list);
    const body = (await (await ask(whole, client, false)).json()) as never;
    expect(clients[client].text(body), client).toBe(said);
    expect(charges(whole)).toEqual(charges(streamed));
  }
});

test("a stream of JSON lines that nobody asked for is the whole answer", async () => {
  const line = (content: string, more: object) =>
    `${JSON.stringify({ model: "m", message: { role: "assistant", content }, done: false, ...more })}\n`;
  const own = { ...ollama, formats: { ollama: ollama.formats.ollama } } as Provider;
  const end = { done: true, done_reason: "stop", prompt_eval_count: 100, eval_count: 20 };
  const relay = await open(own, jsonHead(line("Hello ", {}) + line("there! ✓", end)));
  const body = (await (await ask(relay, "messages", false)).json()) as never;
  expect(clients.messages.text(body)).toBe(said);
  expect(charges(relay)).toEqual([360]);
});

test("a whole answer that was asked for as a stream stops where the balance ends", async () => {
  const long = "word ".repeat(20_000);
  const [choice0] = answers.chat.whole.choices;
  const { usage: _, ...whole } = answers.chat.whole;
  const spoken = { ...whole, choices: [{ ...choice0, message: { content: long } }] };
  for (const client of kinds) {
    const relay = await open("chat", jsonHead(JSON.stringify(spoken)), { balance: 40_000 });
    const text = textOfStream(client, await (await ask(relay, client, true)).text());
    expect(text.length, client).toBeGreaterThan(10_000);
    expect(text.length, client).toBeLessThan(long.length);
    expect(relay.money.balance).toBeGreaterThanOrEqual(0);
    expect(relay.money.settled.map(({ log }) => log.interrupted)).not.toEqual([""]);
  }
});

test("pictures and transcripts to who asked for a stream are a stream", async () => {
  const pictures = {
    created: 1,
    data: [{ b64_json: "aGk=" }],
    usage: { input_tokens: 10, output_tokens: 20, total_tokens: 30 },
  };
  const drawn = await open(openai, jsonHead(JSON.stringify(pictures)));
  const asked = { model: "m", prompt: "a dot" };
  const events = await (
    await post(drawn, "/v1/images/generations", { ...asked, stream: true })
  ).text();
  expect(events).toContain("event: image_generation.completed");
  expect(events).toContain('"b64_json":"aGk="');
  const back = await open(openai, streamHead + events);
  const body: unknown = await (await post(back, "/v1/images/generations", asked)).json();
  expect(body).toMatchObject({ data: [{ b64_json: "aGk=" }] });
  expect(charges(back)).toEqual(charges(drawn));

  const heard = await open(openai, jsonHead(JSON.stringify({ text: said })));
  const form = new FormData();
  form.set("model", "m");
  form.set("stream", "true");
  form.set("file", new Blob(["RIFF"]), "a.wav");
  const answer = await fetch(`${heard.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}` },
    body: form,
  });
  const words = await answer.text();
  expect(words).toContain(`event: transcript.text.done`);
  expect(words).toContain(`"text":"${said}"`);
});
