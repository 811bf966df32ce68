import type { ServiceTier } from "@tollgate/contract/money/service-tiers.ts";

/**
 * The tokens that one attempt consumed, as the provider reported them. Whole numbers ≥ 0.
 *
 * All ten are disjoint: each token is counted in exactly one of them, so their sum is everything
 * processed. Providers count inclusively and disagree on what includes what; only the format's
 * reader converts that.
 */
export type Usage = {
  /** Text input at the full price. */
  readonly input: number;
  /** Input that was found in the provider's prompt cache. */
  readonly cacheRead: number;
  /** Input written to the cache for 5 minutes, or for the only period that the provider has. */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly inputAudio: number;
  readonly inputImage: number;
  /** Visible answer: text, refusals, tool calls. */
  readonly output: number;
  /** Reasoning, visible or hidden. */
  readonly reasoning: number;
  readonly outputAudio: number;
  readonly outputImage: number;
  /** By how much the price of a call is multiplied, in thousandths; absent: it counts once. */
  readonly callThousandths?: number | undefined;
  /** The service tier that the call is charged for; absent: the default one. */
  readonly tier?: ServiceTier | undefined;
  /** How many tokens of `cacheRead` are audio; absent: 0. */
  readonly cacheAudio?: number | undefined;
  /** How many tokens of `cacheRead` are images; absent: 0. */
  readonly cacheImage?: number | undefined;
  /** How many web searches the provider made for the call; absent: 0. */
  readonly searches?: number | undefined;
  /** The minute of the day, in UTC, of the reservation, if the price depends on it; absent: not. */
  readonly minute?: number | undefined;
};

/** Returns the number of all input tokens, whatever their price. */
export function inputOf(usage: Usage): number {
  return (
    usage.input +
    usage.cacheRead +
    usage.cacheWrite5m +
    usage.cacheWrite1h +
    usage.inputAudio +
    usage.inputImage
  );
}

/** Returns the number of all output tokens, whatever their price. */
export function outputOf(usage: Usage): number {
  return usage.output + usage.reasoning + usage.outputAudio + usage.outputImage;
}

/** An upstream's usage report, checked before anyone is billed by it. */
export type ReadUsage =
  | {
      readonly kind: "ok";
      readonly usage: Usage;
      /** Whether the reported total differs from the sum of input and output, which is logged. */
      readonly totalDiffers: boolean;
      /**
       * A description of a contradiction in the report, which is billed all the same; empty: none.
       */
      readonly contradiction: string;
      /**
       * What the upstream left open, so that the gateway counts it. `prompt`: all counts of input are
       * 0. `output`: there is no count of the whole output, only one of a part that came before;
       * that does not matter if nothing came. Absent: nothing.
       */
      readonly untold?: "output" | "prompt";
      /** Whether its parts sum to its own total, so that it replaces all before it. Absent: no. */
      readonly isWhole?: boolean;
      /** Whether what was cached is all that is told of the prompt. Absent: no. */
      readonly isCacheAlone?: boolean;
      /** Whether the upstream counts what was cached beside its input, not in it. Absent: no. */
      readonly isCacheBeside?: boolean;
      /** Whether the upstream counts reasoning beside its output, not in it. Absent: no. */
      readonly isThoughtBeside?: boolean;
      readonly cost?: ReportedCost;
    }
  | { readonly kind: "missing" }
  /** Whether all counts are 0: some servers send zeros instead of a report. */
  | { readonly kind: "zero"; readonly cost?: ReportedCost }
  /** All counts are 0, and rightly so: a program made the output that the provider had resumed. */
  | { readonly kind: "program" }
  /** Impossible figures; `reason` is for the log. The gateway charges its own count instead. */
  | { readonly kind: "suspect"; readonly reason: string; readonly cost?: ReportedCost };

/** What the upstream says that the call costs, in US dollars, as a decimal; absent: nothing. */
type ReportedCost = string;

/** Returns what a report says that the call costs; empty: nothing. */
export function reportedCost(report: ReadUsage | undefined): string {
  return report !== undefined && "cost" in report ? (report.cost ?? "") : "";
}

/** Judges a report of zeros by who made the output. A model that made output has used tokens. */
export function judgeZero(report: ReadUsage, isByProgram: boolean): ReadUsage {
  return isByProgram && report.kind === "zero" ? { kind: "program" } : report;
}

/**
 * The largest number of tokens that is believed. No single call has more; a larger figure means a
 * broken or hostile upstream.
 */
export const tokensMax = 10_000_000;

/** The largest number of web searches that is believed of one call. */
export const searchesMax = 1_000;

/**
 * How many output tokens an honest upstream may report beyond the bytes of its answer. A token has
 * at least one byte, but tool-call markup, stop tokens and short unreported reasoning never arrive
 * as text. Largest seen in recordings: 412.
 */
export const unseenTokensMax = 1_024;

/**
 * Whether an answer with `contentBytes` bytes of text, reasoning and tool arguments can have this
 * usage. Reasoning that is reported as such may have any length.
 *
 * `hidden` in the result: the report has more output than these bytes can hold, but stays within
 * the call's own limit. Resellers leave out which part of the output was reasoning, so an honest
 * report may look like this.
 *
 * @param outputMax the largest number of output tokens that the call may have.
 */
export function judgeUsage(
  usage: Usage,
  contentBytes: number,
  outputMax: number,
): "hidden" | "impossible" | "plausible" {
  if (contentBytes > 0 && outputOf(usage) === 0) return "impossible";
  if (usage.output <= contentBytes + unseenTokensMax) return "plausible";
  return usage.output <= outputMax ? "hidden" : "impossible";
}
