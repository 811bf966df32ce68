/**
 * Mistakes that gateways make with answers, each with a test that is named after it. The numbers are
 * those of a list of 35 that other tests name too: T10 is in relay-stream, T11 in relay-disconnect,
 * T23 in relay-images, T24 in stream-meter-faults and long-events, T26 in relay-audio, T32 in
 * fault-meaning, T33 in relay-realtime, T34 in thinking-models; requests are in traps-of-requests.
 */

import { expect, test } from "bun:test";
import { openSseReader } from "#base/sse.ts";
import type { Json } from "#base/json.ts";
import { type Answer, foldAnswer } from "#canonical/answer.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { inputOf, outputOf, type Usage } from "#canonical/usage.ts";
import { objectOf, parseJson } from "#formats/shared/read-json.ts";
import { answerReasoning, answerText } from "#formats/testing/play.ts";
import { streamRules } from "#formats/testing/stream-rules.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { asked, nextRequest, streamedAnswer } from "./next-turn.ts";
import { translatedClientIds } from "./played.ts";

/** Reads a stream of these bodies as events. */
function read(format: TranslatedFormatId, ...bodies: readonly Json[]): CanonicalEvent[] {
  const reader = translations[format].upstream.openReader("seed");
  const events = bodies.flatMap((body) => reader.read("message", JSON.stringify(body)));
  return [...events, ...reader.end()];
}

function answerOf(format: TranslatedFormatId, ...bodies: readonly Json[]): Answer {
  return foldAnswer(read(format, ...bodies));
}

function callsOf({ items }: Answer) {
  return items.flatMap((item) =>
    item.type === "tool-call" ? [[item.callId, item.name, item.argsText]] : [],
  );
}

/** A chunk of a streamed chat completion. */
function chunk(
  delta: Json,
  finish: string | null = null,
  rest: Readonly<Record<string, Json>> = {},
) {
  return { id: "c", choices: [{ index: 0, delta, finish_reason: finish }], ...rest };
}

function call(index: number | null, id: string, name: string, args: string) {
  const at = index === null ? {} : { index };
  const made = { ...(name === "" ? {} : { name }), arguments: args };
  return { ...at, ...(id === "" ? {} : { id }), type: "function", function: made };
}

const start = { type: "message_start", message: { id: "msg_1", model: "m", usage: {} } };
const stop = { type: "message_stop" };
const block = (index: number, content_block: Json) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, piece: Json) => ({
  type: "content_block_delta",
  index,
  delta: piece,
});
const ended = (index: number) => ({ type: "content_block_stop", index });

test("T1: thinking that is not shown, its late signature and redacted blocks keep value and order", () => {
  const events = read(
    "anthropic-messages",
    start,
    block(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "signature_delta", signature: "c2lnbmF0dXJl" }),
    ended(0),
    block(1, { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" }),
    ended(1),
    block(2, { type: "text", text: "" }),
    delta(2, { type: "text_delta", text: "hi" }),
    ended(2),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} },
    stop,
  );
  const wanted = [
    { type: "thinking", thinking: "", signature: "c2lnbmF0dXJl" },
    { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
    { type: "text", text: "hi" },
  ];

  for (const client of translatedClientIds.filter((id) => id !== "anthropic-messages")) {
    const upstream = "anthropic-messages";
    const answer = streamedAnswer(client, events);
    const { body } = nextRequest({ client, answer, upstream, model: "claude-sonnet-4-5" });
    expect(JSON.stringify(body)).toContain(JSON.stringify(wanted).slice(1, -1));
  }
});

const counts = { input: 100, cacheRead: 60, cacheWrite5m: 30, output: 7 };

/** The same usage, as each format reports it. */
const reports: readonly (readonly [TranslatedFormatId, Json])[] = [
  [
    "anthropic-messages",
    {
      type: "message",
      content: [{ type: "text", text: "hi" }],
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 60,
        cache_creation_input_tokens: 30,
        output_tokens: 7,
      },
    },
  ],
  [
    "bedrock-converse",
    {
      output: { message: { content: [{ text: "hi" }] } },
      stopReason: "end_turn",
      usage: {
        inputTokens: 10,
        cacheReadInputTokens: 60,
        cacheWriteInputTokens: 30,
        outputTokens: 7,
        totalTokens: 107,
      },
    },
  ],
  [
    "openai-chat",
    {
      choices: [{ index: 0, message: { content: "hi" }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 7,
        total_tokens: 107,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      },
    },
  ],
  [
    "openai-responses",
    {
      status: "completed",
      output: [],
      usage: {
        input_tokens: 100,
        output_tokens: 7,
        input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      },
    },
  ],
];

function inclusive(usage: Usage | null) {
  if (usage === null) return null;
  const { cacheRead, cacheWrite5m } = usage;
  return { input: inputOf(usage), cacheRead, cacheWrite5m, output: outputOf(usage) };
}

for (const [format, body] of reports) {
  test(`T5: cached tokens of ${format} count once, whichever format the client reads`, () => {
    const answer = foldAnswer(translations[format].upstream.readAnswer(body, "seed"));
    expect(inclusive(answer.usage)).toEqual(counts);

    for (const client of translatedClientIds) {
      const written = translations[client].client.writeAnswer(answer, asked);
      const again = foldAnswer(translations[client].upstream.readAnswer(written, "seed"));
      // Gemini's format has no word for what was written to a cache.
      const known = client === "gemini-generate" ? { ...counts, cacheWrite5m: 0 } : counts;
      expect(inclusive(again.usage)).toEqual(known);
    }
  });
}

test("T6: a null at the end of a Messages stream erases no figure of its beginning, and no end erases none", () => {
  const first = { input_tokens: 10, cache_read_input_tokens: 60, output_tokens: 1 };
  const begin = { type: "message_start", message: { id: "m", usage: first } };
  const text = [block(0, { type: "text", text: "hi" }), ended(0)];
  const last = {
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { input_tokens: null, cache_read_input_tokens: null, output_tokens: 7 },
  };

  const { usage } = answerOf("anthropic-messages", begin, ...text, last, stop);
  expect(usage).toMatchObject({ input: 10, cacheRead: 60, output: 7 });
  const without = answerOf("anthropic-messages", begin, ...text, stop);
  expect(without.usage).toMatchObject({ input: 10, cacheRead: 60 });
});

test("T7: Gemini's thoughts are output, and the prompt of its tools is input", () => {
  const candidates = [{ content: { parts: [{ text: "hi" }] }, finishReason: "STOP" }];
  const usageMetadata = {
    promptTokenCount: 10,
    toolUsePromptTokenCount: 300,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 20,
  };

  const { usage } = answerOf("gemini-generate", { candidates, usageMetadata });
  expect(usage).toMatchObject({ input: 310, output: 5, reasoning: 20 });
});

test("T8: an answer with calls ends with calls, though the upstream says that it just stopped", () => {
  const functionCall = { name: "now", args: {} };
  const said = [{ function: { name: "now", arguments: {} } }];
  const answers = [
    answerOf("openai-chat", chunk({ tool_calls: [call(0, "a", "now", "{}")] }), chunk({}, "stop")),
    answerOf(
      "gemini-generate",
      { candidates: [{ content: { parts: [{ functionCall }] } }] },
      { candidates: [{ content: { parts: [{ text: "" }] }, finishReason: "STOP" }] },
    ),
    answerOf("ollama", { message: { tool_calls: said } }, { done: true, done_reason: "stop" }),
  ];

  for (const { finish } of answers) expect(finish?.reason).toBe("tool-call");
});

test("T9: two calls stay two, in one chunk, in two, after text, and behind a tool that the provider ran", () => {
  const [one, two] = [call(0, "a", "x", '{"a":1}'), call(1, "b", "y", '{"b":2}')];
  const wanted = [
    ["a", "x", '{"a":1}'],
    ["b", "y", '{"b":2}'],
  ];
  const streams = [
    [chunk({ tool_calls: [one, two] })],
    [chunk({ tool_calls: [one] }), chunk({ tool_calls: [two] })],
    [chunk({ content: "hi" }), chunk({ tool_calls: [one] }), chunk({ tool_calls: [two] })],
    // Some servers give every call the index 0, or none.
    [chunk({ tool_calls: [one] }), chunk({ tool_calls: [call(0, "b", "y", '{"b":2}')] })],
    [chunk({ tool_calls: [call(null, "a", "x", '{"a":1}'), call(null, "b", "y", '{"b":2}')] })],
  ];
  for (const stream of streams) {
    expect(callsOf(answerOf("openai-chat", ...stream, chunk({}, "tool_calls")))).toEqual(wanted);
  }

  const events = read(
    "anthropic-messages",
    start,
    block(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
    ended(0),
    ...["a", "b"].flatMap((id, at) => [
      block(at + 1, { type: "tool_use", id, name: "x", input: {} }),
      ended(at + 1),
    ]),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} },
    stop,
  );
  const writer = translations["openai-chat"].client.openStreamWriter(asked);
  const text = events.map((event) => writer.write(event)).join("");
  expect([...text.matchAll(/"index":(\d),"id":"(\w)"/g)].map(([, at, id]) => [at, id])).toEqual([
    ["0", "a"],
    ["1", "b"],
  ]);
});

test("T14: an id that is empty later, repeated in each piece or missing leaves one id per call", () => {
  const pieces = [call(0, "a", "x", ""), { ...call(0, "", "", '{"k"'), id: "" }];
  const later = chunk({ tool_calls: [{ ...call(0, "a", "", ":1}") }] });
  const all = pieces.map((piece) => chunk({ tool_calls: [piece] }));

  const end = chunk({}, "tool_calls");
  const once = answerOf("openai-chat", ...all, later, end);
  expect(callsOf(once)).toEqual([["a", "x", '{"k":1}']]);
  const none = answerOf("openai-chat", chunk({ tool_calls: [call(0, "", "x", "{}")] }), end);
  expect(String(callsOf(none)[0]?.[0])).toMatch(/^call_\w+$/);
});

test("T19: Azure's first chunk without choices and its later ones without delta hide nothing", () => {
  const first = { id: "", model: "", choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
  const filter = {
    id: "c",
    choices: [{ index: 0, finish_reason: null, content_filter_offsets: {} }],
  };
  const stream = [
    first,
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "hi" }),
    filter,
  ];
  const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
  const answer = answerOf("openai-chat", ...stream, chunk({}, "stop"), { choices: [], usage });

  expect([answerText(answer), answer.fault, answer.usage?.input]).toEqual(["hi", null, 3]);
});

test("T22: reasoning behind a text or a call has a block of its own", () => {
  const events = read(
    "openai-chat",
    chunk({ reasoning_content: "one" }),
    chunk({ content: "hi" }),
    chunk({ reasoning_content: "two" }),
    chunk({ tool_calls: [call(0, "a", "x", "{}")] }),
    chunk({}, "tool_calls"),
  );
  const writer = translations["anthropic-messages"].client.openStreamWriter(asked);
  const text = events.map((event) => writer.write(event)).join("");
  const frames = openSseReader().push(Buffer.from(text));
  const blocks = frames.flatMap(({ data }) => {
    const { content_block: opened } = objectOf(parseJson(data));
    return opened === undefined ? [] : [objectOf(opened)["type"]];
  });

  expect(streamRules["anthropic-messages"](frames)).toEqual([]);
  expect(blocks).toEqual(["thinking", "text", "thinking", "tool_use"]);
});

test("T27: nulls and empty words where others have nothing change nothing", () => {
  const empty = {
    content: null,
    tool_calls: null,
    function_call: { name: "", arguments: "" },
    refusal: null,
    annotations: null,
  };
  const answer = answerOf(
    "openai-chat",
    chunk({ role: "assistant", ...empty }, "", { usage: null }),
    chunk({ ...empty, content: "hi" }, null, { error: null }),
    chunk({}, "stop", {
      usage: {
        prompt_tokens: 3,
        completion_tokens: 1,
        prompt_tokens_details: null,
        completion_tokens_details: null,
      },
    }),
  );

  expect([answerText(answer), callsOf(answer), answer.usage?.input]).toEqual(["hi", [], 3]);
  expect([answer.finish?.reason, answer.fault]).toEqual(["complete", null]);
});

test("T28: what comes with the finish is read, and a second finish is none", () => {
  const late = answerOf("openai-chat", chunk({ content: "h" }), chunk({ content: "i" }, "stop"));
  const whole = answerOf(
    "openai-chat",
    chunk({ content: "", tool_calls: [call(0, "a", "x", '{"k":1}')] }, "tool_calls"),
  );
  const twice = answerOf("openai-chat", chunk({ content: "hi" }, "stop"), chunk({}, "stop"));

  expect([answerText(late), answerText(twice)]).toEqual(["hi", "hi"]);
  expect(callsOf(whole)).toEqual([["a", "x", '{"k":1}']]);
});

test("T30: a message that starts twice starts once for the client", () => {
  const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} };
  const text = [block(0, { type: "text", text: "hi" }), ended(0)];
  const events = read("anthropic-messages", start, start, ...text, end, stop);

  for (const client of translatedClientIds) {
    const writer = translations[client].client.openStreamWriter(asked);
    const written = events.map((event) => writer.write(event)).join("");
    expect(streamRules[client](openSseReader().push(Buffer.from(written)))).toEqual([]);
  }
});

test("T16: reasoning of a chat answer reaches a Messages client as thinking", () => {
  const events = read(
    "openai-chat",
    chunk({ reasoning_content: "look it up" }),
    chunk({ tool_calls: [call(0, "call_1", "weather", "{}")] }),
    chunk({}, "tool_calls"),
  );

  expect(answerReasoning(foldAnswer(events))).toBe("look it up");
  expect(JSON.stringify(streamedAnswer("anthropic-messages", events))).toContain(
    '"thinking":"look it up"',
  );
});
