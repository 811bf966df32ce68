/**
 * Streams of random answers, as the official SDKs read them: the same words, reasoning, calls and
 * usage, whatever the order of the items, the upstream's format, and the cuts of its bytes.
 */

import { afterAll, expect, test } from "bun:test";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import { openSseReader } from "#base/sse.ts";
import { type Random, seededRandom } from "#base/testing/random.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { openAnswerEvents } from "#formats/shared/answer-events.ts";
import { cut } from "#formats/testing/recordings.ts";
import { streamRules } from "#formats/testing/stream-rules.ts";
import { translations } from "#formats/translation-registry.ts";
import { asked } from "#test/recordings/next-turn.ts";
import { type TranslatedClientId, translatedClientIds } from "#test/recordings/played.ts";
import { anthropicMessages } from "./anthropic-sdk.ts";
import { geminiGenerate } from "./google-sdk.ts";
import { openaiChat, openaiResponses } from "./openai-sdk.ts";
import { type Sdk, toolNames } from "./sdk.ts";

const sdks: Readonly<Record<TranslatedClientId, Sdk>> = {
  "anthropic-messages": anthropicMessages,
  "gemini-generate": geminiGenerate,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
};

const seeds = [1, 2, 3, 4, 5, 6];

/** The streams that the next calls get, one after the other. */
const streams: Uint8Array[] = [];
const server = Bun.serve({
  port: 0,
  fetch() {
    const pieces = cut(streams.shift() ?? new Uint8Array(), 11);
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
});
afterAll(async () => await server.stop(true));

/** Words that a careless reader or writer takes for something else, or cuts in the middle. */
const words = [
  "天气 ",
  "🌦️",
  "é",
  ' "quoted" ',
  "\n\n",
  "data: x\n",
  "{",
  "}",
  "\\",
  "a b",
  "[DONE] ",
];

type Made = {
  readonly events: readonly CanonicalEvent[];
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  readonly output: number;
};

/** Makes an answer of one to six items in any order, whose texts and arguments come in pieces. */
function makeAnswer(random: Random): Made {
  const events = openAnswerEvents();
  let text = "";
  let reasoning = "";
  const calls: Made["calls"][number][] = [];
  const someWords = (): string[] =>
    Array.from({ length: random.between(1, 6) }, () => random.pick(words));
  events.start("", "m");
  for (let item = random.between(1, 6); item > 0; item -= 1) {
    const kind = random.pick(["call", "reasoning", "text"]);
    const pieces = someWords();
    if (kind === "call") {
      const name = random.pick(toolNames);
      const args = { city: pieces.join(""), days: random.below(9) };
      events.toolCall({ callId: `call_${item}`, name });
      const json = random.chance(0.2) ? "{}" : JSON.stringify(args);
      calls.push({ name, args: JSON.parse(json) });
      for (const piece of json.match(/.{1,5}/gsu) ?? []) events.args(piece);
    } else if (kind === "reasoning") {
      for (const piece of pieces) events.reasoning(piece);
      reasoning += pieces.join("");
    } else {
      for (const piece of pieces) events.text(piece);
      text += pieces.join("");
    }
    events.endItem();
  }
  const output = random.between(1, 99);
  const usage = { ...noUsage, input: 10, cacheRead: 5, output };
  events.usage({ kind: "ok", usage, totalDiffers: false, contradiction: "" });
  const reason = calls.length > 0 ? "tool-call" : "complete";
  events.finish({ reason, raw: "", stopSequence: "" });
  return { events: events.take(), text, reasoning, calls, output };
}

function writeStream(format: TranslatedClientId, events: readonly CanonicalEvent[]): Uint8Array {
  const writer = translations[format].client.openStreamWriter(asked);
  return Buffer.from(events.map((event) => writer.write(event)).join(""));
}

function readStream(format: TranslatedClientId, bytes: Uint8Array, size: number) {
  const reader = translations[format].upstream.openReader("seed");
  const frames = openSseReader();
  const all = [...cut(bytes, size).flatMap((piece) => frames.push(piece)), ...frames.end()];
  return [...all.flatMap(({ event, data }) => reader.read(event, data)), ...reader.end()];
}

const lastAnswer = makeAnswerOf("bye");

function makeAnswerOf(text: string): readonly CanonicalEvent[] {
  const events = openAnswerEvents();
  events.start("", "m");
  events.text(text);
  const usage = { ...noUsage, input: 1, output: 1 };
  events.usage({ kind: "ok", usage, totalDiffers: false, contradiction: "" });
  events.finish({ reason: "complete", raw: "", stopSequence: "" });
  return events.take();
}

for (const upstream of translatedClientIds) {
  for (const client of translatedClientIds) {
    test(`${sdks[client].name} reads what an upstream of ${upstream} streams, however it is cut`, async () => {
      for (const seed of seeds) {
        const random = seededRandom(seed);
        const made = makeAnswer(random);
        const source = writeStream(upstream, made.events);
        const size = random.pick([1, 2, 3, 7, 37]);
        const bytes = writeStream(client, readStream(upstream, source, size));
        expect(streamRules[client](openSseReader().push(bytes))).toEqual([]);

        const called = made.calls.length > 0;
        streams.push(bytes, ...(called ? [writeStream(client, lastAnswer)] : []));
        const told = await sdks[client].talk({
          url: `http://127.0.0.1:${server.port}`,
          key: "k",
          model: "m",
          stream: true,
          prompt: "hi",
          tools: true,
        });

        const [input, output] = called ? [16, made.output + 1] : [15, made.output];
        expect({ ...told, text: told.text === "bye" }).toEqual({
          text: called,
          said: made.text + (called ? "bye" : ""),
          // OpenAI has no reasoning in chat, so its SDK keeps one piece of other vendors' at most.
          reasoning: client === "openai-chat" ? told.reasoning : made.reasoning,
          calls: [...made.calls],
          input,
          output,
        });
      }
    });
  }
}

for (const format of translatedClientIds) {
  test(`a stream of ${format} that is cut at any one byte is read as if it was whole`, () => {
    const bytes = writeStream(format, makeAnswer(seededRandom(2)).events);
    const whole = readStream(format, bytes, bytes.length);

    for (let at = 1; at < bytes.length; at += 1) {
      const reader = translations[format].upstream.openReader("seed");
      const frames = openSseReader();
      const events = [bytes.slice(0, at), bytes.slice(at)].flatMap((piece) =>
        frames.push(piece).flatMap(({ event, data }) => reader.read(event, data)),
      );
      if (!Bun.deepEquals([...events, ...reader.end()], whole)) throw new Error(`cut at ${at}`);
    }
  });
}
