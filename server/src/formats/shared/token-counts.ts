import type { Json, JsonObject } from "#base/json.ts";
import { type ReadUsage, tokensMax, type Usage } from "#canonical/usage.ts";
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
  readonly cacheWrite5m?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
  readonly inputAudio?: number | undefined;
  readonly inputImage?: number | undefined;
  readonly reasoning?: number | undefined;
  readonly outputAudio?: number | undefined;
  readonly outputImage?: number | undefined;
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
  const rest = spoken > 0 ? Math.max(0, total - spoken) : 0;
  // A prompt of 0 beside what was cached is that alone.
  const prompt = found.input || cached;
  const isShort = prompt === cached && rest > prompt;
  const input = isShort ? rest : prompt;
  const output = input === 0 || spoken > 0 ? spoken : Math.max(0, total - input);
  if (input + output === 0) return { kind: found.input === undefined ? "missing" : "zero" };
  if (cacheRead > input) return { kind: "suspect", reason: `cached ${cacheRead} > input ${input}` };
  const isWhole = prompt > 0 && spoken > 0 && total === prompt + spoken;
  const untold = input === 0 ? "prompt" : output === 0 ? "output" : undefined;
  const isCacheAlone = cached > 0 && input === cached && !isWhole;
  return {
    kind: "ok",
    usage: splitCounts(found, input, output),
    totalDiffers: total > 0 && total !== input + output,
    contradiction: contradictionIn(found, input, output),
    ...(untold === undefined || found.isTotalAlone === true ? {} : { untold }),
    ...(isWhole ? { isWhole } : {}),
    ...(isCacheAlone ? { isCacheAlone } : {}),
    ...(found.isCacheBeside === true ? { isCacheBeside: true } : {}),
    ...(found.isThoughtBeside === true ? { isThoughtBeside: true } : {}),
  };
}

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
function splitCounts(found: ReportedCounts, input: number, output: number): Usage {
  let given = input;
  let made = output;
  const ofInput = (count = 0): number => {
    const taken = Math.min(count, given);
    given -= taken;
    return taken;
  };
  const ofOutput = (count = 0): number => {
    const taken = Math.min(count, made);
    made -= taken;
    return taken;
  };
  return {
    cacheRead: ofInput(found.cacheRead),
    cacheWrite5m: ofInput(found.cacheWrite5m),
    cacheWrite1h: ofInput(found.cacheWrite1h),
    inputAudio: ofInput(found.inputAudio),
    inputImage: ofInput(found.inputImage),
    input: given,
    reasoning: ofOutput(found.reasoning),
    outputAudio: ofOutput(found.outputAudio),
    outputImage: ofOutput(found.outputImage),
    output: made,
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
