/**
 * Puts the usage reports of one answer together. A report is whole if its parts sum to its own total:
 * it replaces all before it, also with smaller counts. Any other only fills in: what it does not tell
 * stays as it was told before. Prompt and output are merged apart, each so that no token counts twice:
 * where a count can contain what another report counted beside it, it does.
 */

import { inputOf, outputOf, type ReadUsage, type Usage } from "./usage.ts";

/** All reports of an answer so far, put together. */
export type UsageReports = {
  /** What they say if the answer has ended. */
  readonly all: ReadUsage;
  /** What they say if it breaks off here: the whole report with the greatest sum counts. */
  readonly best: ReadUsage;
  /** The sum of that report; -1: no report was whole. */
  readonly greatest: number;
  readonly last: ReadUsage;
};

type Told = Extract<ReadUsage, { kind: "ok" }>;

/** Adds the next report of an answer. */
export function addReport(before: UsageReports | undefined, report: ReadUsage): UsageReports {
  const isWhole = report.kind === "ok" && report.isWhole === true;
  if (before === undefined) {
    const greatest = isWhole ? sumOf(report.usage) : -1;
    return { all: report, best: report, greatest, last: report };
  }
  const { all, best, greatest } = before;
  if (isWhole) {
    const sum = sumOf(report.usage);
    if (sum >= greatest) return { all: report, best: report, greatest: sum, last: report };
    return { all: report, best, greatest, last: report };
  }
  const filled = fillIn(all, report);
  const bestFilled = best === all ? filled : fillIn(best, report);
  return { all: filled, best: bestFilled, greatest, last: report };
}

function sumOf(usage: Usage): number {
  return inputOf(usage) + outputOf(usage);
}

/** What is known of an answer when its reports are put together. */
type Ended = {
  /** Whether it has ended; otherwise it broke off. */
  readonly isOver: boolean;
  /** Whether any output came. */
  readonly hasOutput: boolean;
  /** Whether output came after the last report that counted it. */
  readonly isOutdated: boolean;
};

/** Returns what the reports of an answer say together. */
export function sumUp(
  reports: UsageReports | undefined,
  { hasOutput, isOutdated, isOver }: Ended,
): ReadUsage {
  if (reports === undefined) return { kind: "missing" };
  if (!isOver) return reports.best;
  const { all, last } = reports;
  if (isOutdated) return judgeOutdated(all);
  return hasOutput ? all : withoutOutput(all, last);
}

/** The count of output is one of the answer's beginning. */
function judgeOutdated(report: ReadUsage): ReadUsage {
  if (report.kind !== "ok" || report.untold === "output") return report;
  if (report.untold === "prompt") {
    return { kind: "suspect", reason: "neither the prompt nor all output was told" };
  }
  return { ...report, untold: "output" };
}

/** Where nothing came, a last count of 0 is right: an earlier one was of what might have come. */
function withoutOutput(report: ReadUsage, last: ReadUsage): ReadUsage {
  if (report.kind !== "ok" || report.isWhole === true) return report;
  const saysNone = last.kind === "zero" || (last.kind === "ok" && outputOf(last.usage) === 0);
  return saysNone ? { ...report, usage: { ...report.usage, ...noOutput } } : report;
}

const noOutput = { output: 0, outputAudio: 0, outputImage: 0, reasoning: 0 };

/** Whether a report tells how much output there is. */
export function tellsOutput(report: ReadUsage): boolean {
  return report.kind === "suspect" || (report.kind === "ok" && outputOf(report.usage) > 0);
}

function fillIn(before: ReadUsage, later: ReadUsage): ReadUsage {
  if (before.kind === "suspect" || later.kind === "missing") return before;
  if (before.kind !== "ok" || later.kind === "suspect") return later;
  return later.kind === "ok" ? fillTold(before, later) : before;
}

function fillTold(before: Told, later: Told): Told {
  const usage = {
    ...later.usage,
    ...promptOf(before, later),
    ...spokenOf(before, later),
    ...rareOf(before, later),
  };
  const untold = inputOf(usage) === 0 ? "prompt" : outputOf(usage) === 0 ? "output" : undefined;
  const isCacheAlone = hasNoInput(before) && hasNoInput(later);
  return {
    kind: "ok",
    usage,
    totalDiffers: later.totalDiffers,
    contradiction: later.contradiction || before.contradiction,
    ...(untold === undefined ? {} : { untold }),
    ...(before.isWhole === true ? { isWhole: true } : {}),
    ...(isCacheAlone ? { isCacheAlone } : {}),
    ...(later.isCacheBeside === true ? { isCacheBeside: true } : {}),
    ...(later.isThoughtBeside === true ? { isThoughtBeside: true } : {}),
    ...costOf(before, later),
  };
}

const none: Partial<Usage> = {};

/** Returns the rare counts of two reports, of which each counts all until then. */
function rareOf({ usage: a }: Told, { usage: b }: Told): Partial<Usage> {
  if (!hasRare(a) && !hasRare(b)) return none;
  return {
    cacheAudio: mostOf(a.cacheAudio, b.cacheAudio),
    cacheImage: mostOf(a.cacheImage, b.cacheImage),
    searches: mostOf(a.searches, b.searches),
  };
}

function hasRare({ cacheAudio, cacheImage, searches }: Usage): boolean {
  return (cacheAudio ?? cacheImage ?? searches) !== undefined;
}

/** Undefined: neither tells any. */
function mostOf(a = 0, b = 0): number | undefined {
  return Math.max(a, b) || undefined;
}

/** The last cost that was told is that of the whole call. */
function costOf(before: Told, later: Told): Pick<Told, "cost"> {
  const cost = later.cost ?? before.cost;
  return cost === undefined ? {} : { cost };
}

/** Whether a report tells nothing of the prompt but what was cached. */
function hasNoInput({ isCacheAlone, usage }: Told): boolean {
  return isCacheAlone === true || inputOf(usage) === 0;
}

type InputCounts = Pick<
  Usage,
  "cacheRead" | "cacheWrite1h" | "cacheWrite5m" | "input" | "inputAudio" | "inputImage"
>;

function promptIn({ usage }: Told): InputCounts {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, inputAudio, inputImage } = usage;
  return { input, cacheRead, cacheWrite5m, cacheWrite1h, inputAudio, inputImage };
}

function partsOf(counts: InputCounts): number {
  return cachedIn(counts) + counts.inputAudio + counts.inputImage;
}

function cachedIn({ cacheRead, cacheWrite1h, cacheWrite5m }: InputCounts): number {
  return cacheRead + cacheWrite1h + cacheWrite5m;
}

/** Puts what two reports tell of the prompt together. */
function promptOf(before: Told, later: Told): InputCounts {
  const [a, b] = [promptIn(before), promptIn(later)];
  const [sumA, sumB] = [a.input + partsOf(a), b.input + partsOf(b)];
  if (sumB === 0) return a;
  if (sumA === 0) return b;
  const merged = mergePrompts(before, later, a, b);
  const more = merged.input + partsOf(merged) - sumA;
  const isFiner =
    merged.input < a.input || (merged.input === a.input && merged.cacheWrite1h > a.cacheWrite1h);
  // What a whole report has told is not lowered by one that is not.
  const isNews = before.isWhole !== true || more > 0 || (more === 0 && isFiner);
  return isNews ? merged : a;
}

function mergePrompts(before: Told, later: Told, a: InputCounts, b: InputCounts): InputCounts {
  const isBeside = later.isCacheBeside === true;
  if (later.isCacheAlone === true) {
    return before.isCacheAlone === true ? b : withCache(a, b, isBeside);
  }
  if (before.isCacheAlone === true) return partsOf(b) > 0 ? b : withParts(b, a, isBeside);
  const isSame = a.input + partsOf(a) === b.input + partsOf(b);
  if (partsOf(b) === 0) return withParts(b, a, isBeside);
  // Of two that are equal, the one that says which writes are kept for an hour says more.
  return isSame && a.cacheWrite1h > b.cacheWrite1h && b.input >= a.input ? a : b;
}

/** Adds a later report of what was cached to one of the whole prompt. */
function withCache(counts: InputCounts, cache: InputCounts, isBeside: boolean): InputCounts {
  if (partsOf(counts) === 0) return withParts(counts, cache, isBeside);
  const less = cachedIn(cache) - cachedIn(counts);
  if (less === 0) return counts;
  const input = isBeside ? counts.input : Math.max(0, counts.input - less);
  const { cacheRead, cacheWrite1h, cacheWrite5m } = cache;
  return { ...counts, input, cacheRead, cacheWrite1h, cacheWrite5m };
}

/**
 * Adds the parts of a prompt that another report has told to a count of its input alone. A vendor
 * may count them in it or beside it; but an input of at least all that the other report has counted
 * contains them in any case.
 */
function withParts({ input }: InputCounts, other: InputCounts, isBeside: boolean): InputCounts {
  const parts = partsOf(other);
  const contains = other.input > 0 ? input >= parts + other.input : input === parts;
  if (isBeside && !contains) return { ...other, input };
  return parts > input ? { ...noParts, input } : { ...other, input: input - parts };
}

const noParts = { cacheRead: 0, cacheWrite1h: 0, cacheWrite5m: 0, inputAudio: 0, inputImage: 0 };

type OutputCounts = Pick<Usage, "output" | "outputAudio" | "outputImage" | "reasoning">;

function outputIn({ usage }: Told): OutputCounts {
  const { output, outputAudio, outputImage, reasoning } = usage;
  return { output, reasoning, outputAudio, outputImage };
}

function spokenIn({ output, outputAudio, outputImage, reasoning }: OutputCounts): number {
  return output + reasoning + outputAudio + outputImage;
}

/** Puts what two reports tell of the output together. */
function spokenOf(before: Told, later: Told): OutputCounts {
  const [a, b] = [outputIn(before), outputIn(later)];
  if (spokenIn(b) === 0) return a;
  if (spokenIn(a) === 0) return b;
  const merged = mergeOutputs(a, b, later.isThoughtBeside === true);
  const more = spokenIn(merged) - spokenIn(a);
  const isNews = before.isWhole !== true || more > 0 || (more === 0 && merged.output < a.output);
  return isNews ? merged : a;
}

function mergeOutputs(a: OutputCounts, b: OutputCounts, isBeside: boolean): OutputCounts {
  const [before, later] = [spokenIn(a), spokenIn(b)];
  if (isBeside && later === b.reasoning) return { ...a, reasoning: b.reasoning };
  const parts = before - a.output;
  if (later > b.output || parts === 0) return b;
  // The same as of a prompt: less than all that was counted before cannot contain its parts.
  if (isBeside && later < before) return { ...a, output: later };
  return parts > later ? b : { ...a, output: later - parts };
}
