/**
 * Plays every recorded answer in OpenAI's format, of OpenAI and twenty other vendors, through the
 * meters. The client must get the bytes that the upstream sent, and the bill must match the usage
 * that the recording is known to have.
 */

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { inputOf, outputOf, judgeUsage, type ReadUsage } from "#canonical/usage.ts";
import {
  cut,
  readRecordings,
  type RecordedUsage,
  type Recording,
  replay,
} from "#formats/testing/recordings.ts";
import type { UsageReader } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import type { Provider } from "#providers/provider.ts";
import { providers } from "#providers/registry.ts";
import { meterAnswer } from "#relay/meter/answer-meter.ts";
import { openStreamMeter, type StreamEnd, type StreamMeter } from "#relay/meter/stream-meter.ts";
import { readOutputs } from "./openai-output.ts";
import { withoutCosts } from "./recordings/played.ts";

const folder = join(import.meta.dir, "fixtures/recordings");

/** The APIs of OpenAI's chat format: they share usage objects and errors. */
const surfaces: ReadonlySet<string> = new Set([
  "openai.chat",
  "openai.completions",
  "openai.embeddings",
]);

const recordings = readRecordings(folder).filter(({ surface }) => surfaces.has(surface));
const format = formats["openai-chat"].upstream;

/**
 * The provider for each vendor's name in the recordings. A vendor without an entry runs as OpenAI's
 * provider with a base URL of its own.
 */
const named: Readonly<Record<string, Provider>> = {
  ...providers,
  alibaba: providers.ali,
  zhipu: providers["zhipu-v4"],
};

/** Recordings that are not played, by id, each with the reason. */
const left: Readonly<Record<string, string>> = {};

/** Streams without finish reason, usage and [DONE]: their end looks like a broken connection. */
const endless = new Set(["writer/completions.s.ollm.writer-async-streaming-completions-legacy"]);

const answers = recordings.filter(({ id, response }) => response.status === 200 && !(id in left));
const errors = recordings.filter(({ id, response }) => response.status !== 200 && !(id in left));
const streams = answers.filter(({ expected }) => expected.stream);
const wholes = answers.filter(({ expected }) => !expected.stream);

test("every recording says where its bytes come from", () => {
  for (const { id, source } of recordings) {
    expect(source.repo, id).toMatch(/.+\/.+/);
    expect(source.licence, id).toMatch(/^(MIT|Apache-2.0)/);
  }
});

function providerOf({ provider }: Recording): Provider {
  return named[provider] ?? providers.openai;
}

function readUsageOf(recording: Recording): UsageReader {
  return providerOf(recording).formats["openai-chat"]?.readUsage ?? format.readUsage;
}

type Played = { readonly meter: StreamMeter; readonly forwarded: Buffer; readonly end: StreamEnd };

function play(recording: Recording, chunks: readonly Uint8Array[], dropUsage: boolean): Played {
  const readUsage = readUsageOf(recording);
  const meter = openStreamMeter({ format, dropUsage, readUsage });
  const forwarded: Uint8Array[] = [];
  for (const chunk of chunks) {
    const passed = meter.push(chunk);
    if (passed.blocked) throw new Error("blocked without a bound");
    forwarded.push(...passed.forward.map((view) => new Uint8Array(view)));
    chunk.fill(0x2a); // the next chunk may reuse this memory
  }
  return { meter, forwarded: Buffer.concat(forwarded), end: meter.end() };
}

/** Returns the stream without the events that hold usage but no choice. */
function withoutUsageEvents(bytes: Uint8Array): string {
  const events = Buffer.from(bytes)
    .toString()
    .split(/(?<=\n\n)/);
  return events
    .filter((event) => {
      const payload = /^data: ?(\{.*)$/m.exec(event)?.[1];
      if (payload === undefined) return true;
      const { choices, usage } = JSON.parse(payload);
      return !(Array.isArray(choices) && choices.length === 0 && usage != null);
    })
    .join("");
}

for (const recording of streams) {
  const { id, expected } = recording;

  test(`${id}: the client gets the bytes, and their usage is billed`, () => {
    const bytes = replay(recording);
    const { meter, forwarded, end } = play(recording, cut(bytes, 16_384), false);

    const got = Buffer.concat([forwarded, end.tail]).toString();
    expect(withoutCosts(got)).toBe(withoutCosts(Buffer.from(bytes).toString()));
    expect(forwarded.includes("[DONE]")).toBe(false);
    expectUsage(end.usage, recording);
    expectText(recording, { text: end.text, truncated: end.textTruncated });
    expect(meter.contentSeen).toBe(end.text !== "");
    expect(meter.fault?.message).toBe(expected.error?.message);
    expect(end.complete).toBe(expected.error === undefined && !endless.has(id));
    if (end.usage.kind === "ok") {
      expect(judgeUsage(end.usage.usage, end.contentBytes, 0)).toBe("plausible");
    }
  });

  test(`${id}: a client that did not ask for usage gets everything else`, () => {
    const bytes = replay(recording);
    const asked = play(recording, cut(bytes, 16_384), false);
    const { forwarded, end } = play(recording, cut(bytes, 16_384), true);

    const got = Buffer.concat([forwarded, end.tail]).toString();
    expect(withoutCosts(got)).toBe(withoutCosts(withoutUsageEvents(bytes)));
    expect({ ...end, tail: "" }).toEqual({ ...asked.end, tail: "" });
  });

  test(`${id}: the same however the bytes are cut`, () => {
    const bytes = replay(recording);
    const whole = play(recording, cut(bytes, bytes.length), true);
    for (const size of [1, 2, 3, 7, 64]) {
      const pieces = play(recording, cut(bytes, size), true);

      // Cut in different places, a last CRLF may have its LF forwarded or left in the tail. All
      // other bytes must be equal, so the comparison is of forwarded bytes and tail together.
      const all = [pieces, whole].map((played) => [played.forwarded, played.end.tail]);
      expect(Buffer.concat(all[0] ?? []).equals(Buffer.concat(all[1] ?? []))).toBe(true);
      expect({ ...pieces.end, tail: "" }).toEqual({ ...whole.end, tail: "" });
      expect(pieces.meter.outputTokens).toBe(whole.meter.outputTokens);
    }
  });
}

for (const recording of wholes) {
  test(`${recording.id}: its usage is billed`, () => {
    const answer = meterAnswer(replay(recording), {
      format,
      readUsage: readUsageOf(recording),
    });
    const { text, textTruncated } = answer.readOutput();

    expect(answer.fault).toBeUndefined();
    expect(answer.complete).toBe(true);
    expectUsage(answer.usage, recording);
    expectText(recording, { text, truncated: textTruncated });
    if (answer.usage.kind === "ok") {
      expect(judgeUsage(answer.usage.usage, answer.contentBytes, 0)).toBe("plausible");
    }
  });
}

for (const recording of errors) {
  test(`${recording.id}: read as a fault`, () => {
    const { status } = recording.response;
    const fault = providerOf(recording).readFault(
      status,
      Buffer.from(replay(recording)).toString(),
    );
    const message = recording.expected.error?.message ?? `bad response status code ${status}`;

    // The recordings expect no message for an error body without the field `error`. Mistral's
    // message is in the field `detail`.
    expect([message, "Invalid API Key"]).toContain(fault.message);
    const channelFault = [401, 404].includes(status);
    expect(fault.channelFault).toBe(channelFault);
    expect(fault.retryable).toBe(channelFault || [429, 500].includes(status));
  });
}

function expectUsage(read: ReadUsage, { expected, surface, provider }: Recording): void {
  const usage = expected.usage ?? usageOfEmbeddings(expected);
  if (usage === null) {
    expect(read).toEqual({ kind: "missing" });
    return;
  }
  if (read.kind !== "ok") throw new Error(`usage is ${JSON.stringify(read)}`);
  // The total of some recordings exceeds input plus output: Mistral leaves audio out of both,
  // Gemini thinking.
  const unaccounted = usage.unaccounted ?? 0;
  expect(provider === "mistral" || provider === "gemini" || unaccounted === 0).toBe(true);
  expect({
    input: inputOf(read.usage),
    output: outputOf(read.usage),
    cached: read.usage.cacheRead,
    written: read.usage.cacheWrite5m + read.usage.cacheWrite1h,
  }).toEqual({
    input: usage.input + (provider === "mistral" ? unaccounted : 0),
    output: usage.output + (provider === "gemini" ? unaccounted : 0),
    cached: usage.cached_input ?? 0,
    // Tokens written to the cache and read from it in one call are counted once, as read.
    written: Math.min(usage.cache_write_input ?? 0, usage.input - (usage.cached_input ?? 0)),
  });
  const hidden = provider === "gemini" ? unaccounted : 0;
  expect(read.usage.reasoning).toBe((usage.reasoning ?? 0) + hidden);
  expect(read.totalDiffers, surface).toBe(false);
}

/**
 * Returns the usage of a recorded embedding call. The recordings have a worked-out usage for chat
 * only.
 */
function usageOfEmbeddings({ usage_raw, usage }: Recording["expected"]): RecordedUsage | null {
  const input = usage_raw?.["prompt_tokens"];
  if (usage !== undefined || typeof input !== "number") return null;
  return {
    input,
    cached_input: null,
    cache_write_input: null,
    output: 0,
    reasoning: null,
    total: null,
  };
}

/**
 * Compares the text that the meter kept with that of a second reader, which parses JSON, and the
 * second reader with the known output of the recording.
 */
function expectText(
  recording: Recording,
  kept: { readonly text: string; readonly truncated: boolean },
): void {
  const { expected } = recording;
  const outputs = readOutputs(recording);
  expect(kept).toEqual({ text: outputs.all, truncated: false });
  if (expected.text === undefined) return;
  expect(sha256(outputs.text)).toBe(expected.text.sha256);
  if (expected.reasoning) expect(sha256(outputs.reasoning)).toBe(expected.reasoning.sha256);
  if (expected.refusal) expect(sha256(outputs.refusal)).toBe(expected.refusal.sha256);
  const hashes = expected.tool_calls?.map((call) => call.args_sha256) ?? [];
  expect<unknown>(outputs.toolArguments.map((text) => sha256(canonical(text)))).toEqual(hashes);
}

/** Writes JSON with sorted keys and no blanks. The recordings' hashes are of text in this form. */
function canonical(text: string): string {
  return JSON.stringify(sorted(JSON.parse(text === "" ? "{}" : text)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
