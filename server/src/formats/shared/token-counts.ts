import type { Json, JsonObject } from "#base/json.ts";
import { type ReadUsage, tokensMax } from "#canonical/usage.ts";
import { asObject } from "./read-json.ts";

/** Reads the counts of an upstream's usage report, and remembers the first that is impossible. */
type TokenCounts = {
  /** Returns a count. Undefined: it is missing, or no whole number from 0 to `tokensMax`. */
  count(from: JsonObject, name: string): number | undefined;
  /** Describes the first impossible count; empty: there is none. */
  wrong(): string;
};

export function openTokenCounts(): TokenCounts {
  let wrong = "";
  return {
    count(from, name) {
      const value = from[name];
      if (value === undefined || value === null) return undefined;
      const isCount = typeof value === "number" && Number.isInteger(value);
      if (isCount && value >= 0 && value <= tokensMax) return value;
      wrong ||= `${name} is ${JSON.stringify(value).slice(0, 40)}`;
      return undefined;
    },
    wrong: () => wrong,
  };
}

/** Returns a usage report as an object. Undefined: it is none. */
export function reportOf(raw: unknown): JsonObject | undefined {
  // Safe cast: usage reports come from parsed JSON.
  return asObject(raw as Json | undefined);
}

/** Reads a report that has the names of OpenAI's counts and nothing besides. */
export function promptUsage(raw: unknown): ReadUsage {
  const report = reportOf(raw);
  if (report === undefined) return { kind: "missing" };
  const counts = openTokenCounts();
  return simpleUsage(counts, {
    input: counts.count(report, "prompt_tokens"),
    output: counts.count(report, "completion_tokens"),
    total: counts.count(report, "total_tokens"),
  });
}

/** Counts of a report of the simplest kind. `input` and `output` include the other counts. */
type SimpleCounts = {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly total?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly inputImage?: number | undefined;
  readonly inputAudio?: number | undefined;
  readonly reasoning?: number | undefined;
};

/** Makes disjoint counts of a report that has input and output. One of them alone is no report. */
export function simpleUsage(counts: TokenCounts, found: SimpleCounts): ReadUsage {
  const { input, output, total, cacheRead = 0, inputImage = 0, inputAudio = 0 } = found;
  const thinking = found.reasoning ?? 0;
  if (counts.wrong() !== "") return { kind: "suspect", reason: counts.wrong() };
  if (input === undefined || output === undefined) return { kind: "missing" };
  if (input === 0 && output === 0) return { kind: "zero" };
  if (cacheRead > input) return { kind: "suspect", reason: `cached ${cacheRead} > input ${input}` };
  let plain = input - cacheRead;
  // A token of several kinds counts as the first of these: cached, audio, image.
  const audio = Math.min(inputAudio, plain);
  plain -= audio;
  const image = Math.min(inputImage, plain);
  const reasoning = Math.min(thinking, output);
  return {
    kind: "ok",
    usage: {
      input: plain - image,
      cacheRead,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      inputAudio: audio,
      inputImage: image,
      output: output - reasoning,
      reasoning,
      outputAudio: 0,
      outputImage: 0,
    },
    totalDiffers: total !== undefined && total !== input + output,
    contradiction: thinking > output ? `reasoning ${thinking} > output ${output}` : "",
  };
}
