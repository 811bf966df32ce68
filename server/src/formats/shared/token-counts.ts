import type { Json, JsonObject } from "#base/json.ts";
import { type ReadUsage, searchesMax, tokensMax, type Usage } from "#canonical/usage.ts";
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
  const found = {
    input: counts.count(report, "prompt_tokens"),
    output: counts.count(report, "completion_tokens"),
    total: counts.count(report, "total_tokens"),
  };
  return readCounts(found, counts.wrong());
}

/** The counts of one report; undefined: it does not tell this count. */
type ReportedCounts = {
  /** The whole prompt, with what was cached and with sound and pictures. */
  readonly input: number | undefined;
  /** The whole output, with sound and pictures, and with reasoning unless that is beside it. */
  readonly output: number | undefined;
  readonly total?: number | undefined;
  readonly cacheRead?: number | undefined;
  /** The tokens of audio and of images among `cacheRead`. */
  readonly cacheAudio?: number | undefined;
  readonly cacheImage?: number | undefined;
  readonly cacheWrite5m?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
  readonly inputAudio?: number | undefined;
  readonly inputImage?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly outputAudio?: number | undefined;
  readonly outputImage?: number | undefined;
  /** The web searches that the provider made. */
  readonly searches?: number | undefined;
  /** Whether the vendor counts what was cached beside its input; `input` is both together. */
  readonly isCacheBeside?: boolean;
  /** Whether the vendor counts reasoning beside its output. */
  readonly isThoughtBeside?: boolean;
  /** Whether `input` is the total, which is all that is told, as of vectors. */
  readonly isTotalAlone?: boolean;
  /** A contradiction that the reader of the format has found; absent: none. */
  readonly contradiction?: string;
};

/**
 * Makes disjoint counts of a report. A count of 0 tells as little as none: upstreams send zeros for
 * what they do not know yet. Where prompt or output is not told, it is the rest of the total.
 *
 * @param wrong describes an impossible count; empty: there is none.
 */
export function readCounts(found: ReportedCounts, wrong: string): ReadUsage {
  if (wrong !== "") return { kind: "suspect", reason: wrong };
  const { cacheRead = 0, total = 0 } = found;
  const cached = cacheRead + (found.cacheWrite5m ?? 0) + (found.cacheWrite1h ?? 0);
  const spoken = outputIn(found);
  // A prompt of 0 beside what was cached is that alone.
  const prompt = found.input || cached;
  const isPlainUntold = (found.input ?? 0) === (found.isCacheBeside === true ? cached : 0);
  const rest = spoken > 0 && isPlainUntold ? total - spoken : 0;
  const input = Math.max(prompt, rest);
  const output = input === 0 || spoken > 0 ? spoken : Math.max(0, total - input);
  if (input + output === 0) return { kind: found.input === undefined ? "missing" : "zero" };
  if (cacheRead > input) return { kind: "suspect", reason: `cached ${cacheRead} > input ${input}` };
  if ((found.searches ?? 0) > searchesMax) {
    return { kind: "suspect", reason: `searches are ${found.searches}` };
  }
  const read: Reading = {
    kind: "ok",
    usage: withRareCounts(splitCounts(found, input, output), found),
    totalDiffers: total > 0 && total !== input + output,
    contradiction: contradictionIn(found, input, output),
  };
  if (input === 0) read.untold = "prompt";
  else if (output === 0 && found.isTotalAlone !== true) read.untold = "output";
  if (prompt > 0 && spoken > 0 && total === prompt + spoken) read.isWhole = true;
  else if (isPlainUntold && cached > 0 && input === cached) read.isCacheAlone = true;
  if (found.isCacheBeside === true) read.isCacheBeside = true;
  if (found.isThoughtBeside === true) read.isThoughtBeside = true;
  return read;
}

/** A report that is being made, in one object, because each call has one. */
type Reading = { -readonly [Name in keyof Told]: Told[Name] };
type Told = Extract<ReadUsage, { kind: "ok" }>;

/**
 * Returns the whole output as told. The total shows where reasoning is: in the output or beside it,
 * whatever is usual for the format.
 */
function outputIn({
  input = 0,
  output = 0,
  reasoning = 0,
  total = 0,
  outputAudio = 0,
  outputImage = 0,
  isThoughtBeside = false,
}: ReportedCounts): number {
  const rest = total - input - output;
  const parts = outputAudio + outputImage;
  const isRoom = parts === 0 || parts + reasoning <= output;
  const isInside = total > 0 && output > 0 && rest === 0 && isRoom;
  const isBeside = isThoughtBeside ? !isInside : total > 0 && rest === reasoning;
  return isBeside ? output + reasoning : output;
}

/** Splits the counts. A token of several kinds counts as the first that is named here. */
function splitCounts(found: ReportedCounts, given: number, made: number): Usage {
  const cacheRead = Math.min(found.cacheRead ?? 0, given);
  let input = given - cacheRead;
  const cacheWrite5m = Math.min(found.cacheWrite5m ?? 0, input);
  input -= cacheWrite5m;
  const cacheWrite1h = Math.min(found.cacheWrite1h ?? 0, input);
  input -= cacheWrite1h;
  const inputAudio = Math.min(found.inputAudio ?? 0, input);
  input -= inputAudio;
  const inputImage = Math.min(found.inputImage ?? 0, input);
  input -= inputImage;
  const reasoning = Math.min(found.reasoning ?? 0, made);
  let output = made - reasoning;
  const outputAudio = Math.min(found.outputAudio ?? 0, output);
  output -= outputAudio;
  const outputImage = Math.min(found.outputImage ?? 0, output);
  output -= outputImage;
  return {
    input,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h,
    inputAudio,
    inputImage,
    output,
    reasoning,
    outputAudio,
    outputImage,
  };
}

/** Adds the counts that few reports have, so that others have no fields for them. */
function withRareCounts(usage: Usage, found: ReportedCounts): Usage {
  const { cacheAudio = 0, cacheImage = 0, searches = 0 } = found;
  if (cacheAudio + cacheImage + searches === 0) return usage;
  return {
    ...usage,
    ...(cacheAudio === 0 ? {} : { cacheAudio: Math.min(cacheAudio, usage.cacheRead) }),
    ...(cacheImage === 0 ? {} : { cacheImage: Math.min(cacheImage, usage.cacheRead) }),
    ...(searches === 0 ? {} : { searches }),
  };
}

function contradictionIn(
  { contradiction = "", reasoning = 0, total = 0 }: ReportedCounts,
  input: number,
  output: number,
): string {
  if (reasoning > output) return `reasoning ${reasoning} > output ${output}`;
  if (total > 0 && input + output > total) {
    return `input ${input} + output ${output} > total ${total}`;
  }
  return contradiction;
}
