import { expect, test } from "bun:test";
import { formats } from "#formats/registry.ts";
import { keptTextMax } from "./kept-output.ts";
import { openStreamMeter, type StreamEnd, type StreamMeter } from "./stream-meter.ts";

const format = formats["openai-chat"].upstream;

function open(dropUsage = false): StreamMeter {
  return openStreamMeter({ format, dropUsage, readUsage: format.readUsage });
}

type Played = { readonly meter: StreamMeter; readonly forwarded: string; readonly end: StreamEnd };

function play(text: string, size = text.length, dropUsage = false): Played {
  const meter = open(dropUsage);
  const bytes = Buffer.from(text);
  let forwarded = Buffer.alloc(0);
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = new Uint8Array(bytes.subarray(at, at + size));
    forwarded = Buffer.concat([forwarded, ...meter.push(chunk).forward]);
    // The relay frees the chunk now.
    chunk.fill(0x2a).buffer.transfer(0);
  }
  return { meter, forwarded: forwarded.toString(), end: meter.end() };
}

function tailOf({ end }: Played): string {
  return Buffer.from(end.tail).toString();
}

function event(payload: unknown): string {
  return `data: ${typeof payload === "string" ? payload : JSON.stringify(payload)}\n\n`;
}

function piece(content: string, index = 0): string {
  return event({ id: "c", choices: [{ index, delta: { content }, finish_reason: null }] });
}

const stop = event({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const usage = (output: number) =>
  event({
    choices: [],
    usage: { prompt_tokens: 9, completion_tokens: output, total_tokens: 9 + output },
  });
const done = event("[DONE]");

const many = Array.from({ length: 40 }, (_, index) => piece(`${index} `)).join("");

test("only the event in two chunks is copied, however much follows it", () => {
  const meter = open();
  const [before, chunk] = [Buffer.from(many.slice(0, 30)), Buffer.from(many.slice(30))];
  expect(meter.push(before).forward).toEqual([]);
  const { forward } = meter.push(chunk);

  expect(Buffer.concat(forward).toString()).toBe(many);
  expect(forward[0]?.length).toBe(piece("0 ").length);
  expect(forward).toHaveLength(2);
  expect(forward[1]?.buffer).toBe(chunk.buffer);
});

test("a meter that stops at the event in two chunks goes on with what follows it", () => {
  const meter = open();
  meter.allowedTokens = 0;
  meter.push(Buffer.from(many.slice(0, 30)));
  expect(meter.push(Buffer.from(many.slice(30)))).toEqual({ forward: [], blocked: true });
  meter.allowedTokens = 1_000;

  expect(Buffer.concat(meter.resume().forward).toString()).toBe(many);
});

// The client must not see the stream's end before the call is billed.
test("the closing event is held back, and nothing behind it passes", () => {
  const late = piece("more") + usage(1_000) + done;
  const played = play(piece("hi") + stop + done + late);

  expect(played.forwarded).toBe(piece("hi") + stop);
  expect(tailOf(played)).toBe(done);
  expect(played.end).toMatchObject({ text: "hi", usage: { kind: "missing" }, complete: true });
  expect(played.meter).toMatchObject({ done: true, finished: true, contentSeen: true });
  expect(played.meter.end()).toBe(played.end);
});

test("the usage event is held until the end, or dropped if the client did not request it", () => {
  const stream = piece("hi") + stop + usage(1) + done;

  const asked = play(stream);
  expect([asked.forwarded, tailOf(asked)]).toEqual([piece("hi") + stop, usage(1) + done]);
  const unasked = play(stream, stream.length, true);
  expect([unasked.forwarded, tailOf(unasked)]).toEqual([piece("hi") + stop, done]);
  expect(unasked.end.usage).toEqual(asked.end.usage);
  expect(asked.end.usage).toMatchObject({ kind: "ok", usage: { input: 9, output: 1 } });
});

// Azure starts streams with an event without choices; Groq, DeepSeek and Perplexity report usage in
// events that have choices.
test("only an event with usage and without choices is ever dropped", () => {
  const filter = event({ choices: [], prompt_filter_results: [{}], usage: null });
  const beside = event({
    choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
  });
  const groq = event({
    choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    x_groq: { id: "r", usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 } },
  });
  for (const [events, input] of [
    [filter + piece("x") + beside, 2],
    [piece("x") + groq, 4],
    [groq + beside, 2],
    [beside + groq, 4],
  ] as const) {
    const played = play(events + done, events.length, true);
    expect(played.forwarded + tailOf(played)).toBe(events + done);
    expect(played.end.usage).toMatchObject({ usage: { input, output: 3 } });
  }
});

test("the last usage counts, and events behind a usage event keep their order", () => {
  const stream = piece("a") + usage(1) + ": ping\n\n" + piece("b") + usage(2) + ": pong\n\n" + done;
  const played = play(stream);

  expect(played.forwarded).toBe(piece("a") + usage(1) + ": ping\n\n" + piece("b"));
  expect(tailOf(played)).toBe(usage(2) + ": pong\n\n" + done);
  expect(played.end.usage).toMatchObject({ usage: { output: 2 } });
});

// The stream may break off after any of them.
test("each usage object is read as it comes", () => {
  const read: unknown[] = [];
  const readUsage = (report: unknown) => {
    read.push(report);
    return { kind: "missing" } as const;
  };
  const meter = openStreamMeter({ format, dropUsage: false, readUsage });
  for (const count of [1, 2, 3]) meter.push(Buffer.from(piece("a") + usage(count)));

  expect(read).toMatchObject([1, 2, 3].map((count) => ({ completion_tokens: count })));
});

test("a flood of usage events is not held in memory", () => {
  const stream = usage(1).repeat(2_000);
  const played = play(stream);

  expect(played.forwarded + tailOf(played)).toBe(stream);
  expect(played.end.tail.length).toBeLessThan(70_000);
});

test("everything the model writes is counted and kept once", () => {
  const calls = [{ index: 0, id: "i", function: { name: "get", arguments: '{"a":1}' } }];
  const stream = [
    { delta: { role: "assistant", content: "A", refusal: "B" } },
    { delta: { reasoning: "C", reasoning_content: "C", reasoning_details: [{ text: "C" }] } },
    { delta: { reasoning_details: [{ type: "reasoning.text", text: "D" }] } },
    { delta: { content: [{ type: "thinking", thinking: [{ text: "E" }] }, { text: "F" }] } },
    { delta: { tool_calls: calls }, message: { content: "whole again" }, index: 1 },
    { delta: { tool_calls: [{ custom: { name: "run", input: "G" } }] }, index: 2 },
    { delta: { function_call: { name: "old", arguments: "H" }, audio: { transcript: "I" } } },
    { text: "J", logprobs: { content: [{ token: "no", bytes: [1] }] } },
  ];
  const played = play(stream.map((choice) => event({ choices: [choice] })).join(""));

  expect(played.end.text).toBe('ABCDEFget{"a":1}runGoldHIJ');
  expect(played.end.contentBytes).toBe(28);
  expect(played.meter.outputTokens).toBeGreaterThan(10);
  expect(play(event({ choices: stream })).end.text).toBe(played.end.text);
});

test("escapes and split characters are decoded", () => {
  const half = '{"choices":[{"delta":{"content":"\\ud83d"}}]}';
  const other = '{"choices":[{"delta":{"content":"\\ude42\\n\\"é界"}}]}';

  expect(play(event(half) + event(other)).end.text).toBe('🙂\n"é界');
});

test("text is kept up to its limit and estimated beyond it", () => {
  const stream = piece("a".repeat(1_000)).repeat(100);
  const { end, meter } = play(stream);

  expect(end.textTruncated).toBe(true);
  expect(end.text.length).toBeLessThanOrEqual(keptTextMax);
  expect(end.contentBytes).toBe(100_000);
  expect(meter.outputTokens).toBeGreaterThan(12_500);
});

test("an answer that breaks off is not complete", () => {
  expect(play(piece("a")).end.complete).toBe(false);
  expect(play(piece("a") + stop).end.complete).toBe(true);
  expect(play(piece("a") + done).end.complete).toBe(true);
  expect(play(piece("a") + usage(1)).end.complete).toBe(true); // Snowflake's streams end so
  expect(play(usage(1)).end.complete).toBe(false);
  expect(play(piece("a") + piece("b", 1) + stop).end.complete).toBe(false);
  expect(play(event({ choices: [{ delta: {}, finish_reason: "" }] })).end.complete).toBe(false);
});

// An incomplete event would break the client's parser, and the error event behind it would be lost.
test("the event in which a stream breaks off does not reach the client", () => {
  const whole = piece("b") + stop;
  for (let length = 1; length < piece("b").length - 2; length += 1) {
    const played = play(piece("a") + whole.slice(0, length));
    expect(played.forwarded).toBe(piece("a"));
    expect(tailOf(played)).toBe("");
    expect(played.end).toMatchObject({ text: "a", complete: false });
  }
  // The last event of this stream lacks only its empty line, so it is complete.
  const unclosed = play(piece("a") + stop.trimEnd());
  expect([unclosed.forwarded, tailOf(unclosed)]).toEqual([piece("a"), stop.trimEnd()]);
  expect(unclosed.end.complete).toBe(true);
});
