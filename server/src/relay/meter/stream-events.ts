/**
 * Decides for each event of a metered stream whether it is sent to the client, held back or
 * dropped, and records its output, usage and finish reasons.
 */

import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import { isText, openBrace } from "#base/json-cursor.ts";
import { readJson } from "#base/json-scan.ts";
import { joinData, type SseCut, type SseCutter } from "#base/sse.ts";
import { judgeZero, type ReadUsage, reportedCost } from "#canonical/usage.ts";
import { blankCost } from "#formats/shared/usage/reported-cost.ts";
import { addReport, sumUp, tellsOutput, type UsageReports } from "#canonical/usage-reports.ts";
import type { AnswerScanner, ErrorBody, UpstreamFormat, UsageReader } from "#formats/format.ts";
import { weighText, weightOfToken } from "#base/text-weight.ts";
import { issuedText } from "#formats/shared/scan/issued-texts.ts";
import { type KeptOutput, weighUnscanned } from "./kept-output.ts";

/** The longest usage object that is parsed, in bytes. Real ones are below 1 kB. */
const usageBytesMax = 16 * 1024;

/** The largest number of texts that are kept of what only their issuer can read. */
const issuedInStreamMax = 64;

const colon = 0x3a;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export type StreamMeterOptions = {
  readonly format: UpstreamFormat;
  /**
   * Whether to drop the usage event before the client sees it: the gateway requested it for
   * billing, the client did not.
   */
  readonly dropUsage: boolean;
  /** Reads usage objects: the provider's function, or the format's if the provider has none. */
  readonly readUsage: UsageReader;
};

/** The state of a metered stream. */
export type Metering = {
  readonly options: StreamMeterOptions;
  readonly cutter: SseCutter;
  readonly scanner: AnswerScanner;
  readonly output: KeptOutput;
  /** Events held back until the stream's end, and how many bytes they have together. */
  held: Uint8Array[];
  heldBytes: number;
  /** All usage reports so far, and the first one and the last as they came; undefined: none came. */
  reports: UsageReports | undefined;
  firstReport: unknown;
  lastReport: unknown;
  /** Bytes of output that had come with the last report that counted output. */
  reportedBytes: number;
  /** Bytes of output that are known to be reasoning. */
  reasoningBytes: number;
  /** The last service tier that the stream has named beside its usage, and the last one in it. */
  tier: ServedTier;
  tierInUsage: ServedTier;
  /** What only its issuer can read, the last of it; undefined: nothing yet. */
  issued: string[] | undefined;
  /** How many texts that was, with those that are forgotten. */
  issuedCount: number;
  /** State of each choice by its index: 0 not seen, 1 seen, 2 finished. */
  readonly choices: Uint8Array;
  contentSeen: boolean;
  finished: boolean;
  usageOnlySeen: boolean;
  done: boolean;
  fault: ErrorBody | undefined;
  /** Whether an event too long to keep is passing in pieces; `silent`: that event is a comment. */
  passing: boolean;
  silent: boolean;
  /**
   * The piece of a long event that the meter has stopped at because of its cost, and the estimate
   * of its tokens.
   */
  waiting: Uint8Array | undefined;
  waitingWeight: number;
  blocked: boolean;
  allowedWeight: number;
  wantedWeight: number;
  /**
   * Whether the upstream has ended the stream, so that what the cutter still holds is the last
   * event.
   */
  ending: boolean;
  onReport: ((reported: ReadUsage) => void) | null;
};

/**
 * What to do with an event: send it to the client, hold it back until the stream's end, never send
 * it, or stop because the hold does not cover it.
 */
type Verdict = "forward" | "hold" | "drop" | "block";

export function judgeEvent(state: Metering, cut: SseCut): Verdict {
  const { found: scan } = state.scanner;
  if (state.done) return isRestOfLineEnd(cut) ? "hold" : "drop";
  if (cut.data.length === 0) return judgeSilence(state, cut);
  const single = cut.data.length === 2;
  const bytes = single ? cut.bytes : joinData(cut);
  const start = single ? (cut.data[0] ?? 0) : 0;
  const end = single ? (cut.data[1] ?? 0) : bytes.length;
  state.scanner.scanEvent(bytes, start, end);
  // The stream broke off inside this event. An incomplete event would break the client's parser.
  if (state.ending && (scan.malformed || (!scan.done && bytes[start] !== openBrace))) return "drop";
  if (state.fault === undefined && (scan.errorSuspected || isNamed(cut, "error"))) {
    state.fault = readFault(state, bytes.subarray(start, end), isNamed(cut, "error"));
    if (state.fault !== undefined) return "hold";
  }
  let weight = scan.malformed ? weighUnscanned(bytes, start, end) : 0;
  for (let at = 0; at < scan.texts.length && !scan.malformed; at += 2) {
    const from = scan.texts[at] ?? 0;
    const to = scan.texts[at + 1] ?? 0;
    // Upstreams send whole tokens, so even a short piece of text counts as at least one token.
    if (to > from) weight += Math.max(weightOfToken, weighText(bytes, from, to));
  }
  // What the event reports is charged even if the rest of it is not paid for.
  const countsOutput = scan.usageStart >= 0 && noteUsage(state, bytes);
  if (isTooMuch(state, weight)) return "block";
  if (scan.malformed) state.output.addUnread(end - start, weight);
  else state.output.add(bytes, scan.texts, weight);
  if (countsOutput) state.reportedBytes = state.output.byteCount;
  noteEvent(state, bytes);
  if (state.fault !== undefined) return "drop";
  if (scan.done) {
    state.done = true;
    return "hold";
  }
  if (scan.usageOnly) return state.options.dropUsage ? "drop" : "hold";
  return isLastReport(state, cut) ? "hold" : "forward";
}

/**
 * Whether an event may be the one whose usage a client takes for the answer's. It waits for the
 * stream's end, because the gateway may have to count itself, and then writes its counts there.
 */
function isLastReport(state: Metering, cut: SseCut): boolean {
  const { found: scan } = state.scanner;
  if (!state.contentSeen) return false;
  const { usageEvent } = state.options.format;
  if (usageEvent !== undefined) return isNamed(cut, usageEvent);
  return scan.usageStart >= 0 && (scan.texts.length === 0 || state.finished);
}

/**
 * Judges a comment or an empty event. If events are held back, it is held too, so that the order
 * stays.
 */
function judgeSilence(state: Metering, { bytes, start }: SseCut): Verdict {
  if (state.fault !== undefined) return "drop";
  const first = bytes[start];
  const whole = first === colon || first === lineFeed || first === carriageReturn;
  if (state.ending && !whole) return "drop";
  return state.held.length > 0 ? "hold" : "forward";
}

/** Judges a piece of an event that is too long to scan. */
export function judgePiece(
  state: Metering,
  bytes: Uint8Array,
  start: number,
  end: number,
): Verdict {
  if (state.done || state.fault !== undefined) return "drop";
  if (!state.passing) state.silent = bytes[start] === colon;
  const weight = state.silent ? 0 : weighUnscanned(bytes, start, end);
  if (isTooMuch(state, weight)) {
    state.waitingWeight = weight;
    return "block";
  }
  if (!state.silent) passPiece(state, end - start, weight);
  return "forward";
}

export function passPiece(state: Metering, byteCount: number, weight: number): void {
  state.output.addUnread(byteCount, weight);
  state.contentSeen = true;
}

/** What decides whether the hold covers the next output of a stream. */
export type HoldGate = {
  readonly output: KeptOutput;
  allowedWeight: number;
  wantedWeight: number;
};

/** Whether the output so far and this one would exceed what the hold covers. */
export function isTooMuch(gate: HoldGate, weight: number): boolean {
  gate.wantedWeight = gate.output.weight + weight;
  return weight > 0 && gate.wantedWeight > gate.allowedWeight;
}

/** Replaces the estimate of the output so far by an exact count of tokens, if that is lower. */
export function correctEstimate(gate: HoldGate, tokens: number): void {
  const less = Math.max(0, gate.output.weight - tokens * weightOfToken);
  gate.output.correct(gate.output.weight - less);
  gate.wantedWeight -= less;
}

/** Records what the scan found in an event that will be sent or held back. */
function noteEvent(state: Metering, bytes: Uint8Array): void {
  const { found: scan } = state.scanner;
  if (scan.texts.length > 0 || scan.malformed) state.contentSeen = true;
  state.reasoningBytes += scan.reasoningBytes;
  if (scan.tier !== "") state.tier = scan.tier;
  if (scan.issued !== null && scan.issued.length > 0) noteIssued(state, scan.issued, bytes);
  if (scan.usageOnly) state.usageOnlySeen = true;
  for (let at = 0; at < scan.choices.length; at += 2) {
    const index = scan.choices[at] ?? 0;
    const mark = (scan.choices[at + 1] ?? 0) + 1;
    if (mark === 2) state.finished = true;
    if (mark > (state.choices[index] ?? 0)) state.choices[index] = mark;
  }
}

/**
 * Reads a usage object as soon as it comes, because the stream may break off. Returns whether it
 * counts output.
 */
function noteUsage(state: Metering, bytes: Uint8Array): boolean {
  const { format, readUsage } = state.options;
  const { byProgram, usageEnd, usageStart } = state.scanner.found;
  let report: ReadUsage = { kind: "suspect", reason: "usage object too long" };
  if (usageEnd - usageStart <= usageBytesMax) {
    const raw = parseObject(bytes.subarray(usageStart, usageEnd));
    state.firstReport ??= raw;
    state.lastReport = raw;
    report = judgeZero(readUsage(raw), byProgram);
    if (reportedCost(report) !== "") blankCost(bytes, usageStart, usageEnd);
    state.tierInUsage = format.readTier?.(raw, state.firstReport) || state.tierInUsage;
  }
  state.reports = addReport(state.reports, report);
  state.onReport?.(state.reports.best);
  return tellsOutput(report);
}

function noteIssued(state: Metering, places: readonly number[], bytes: Uint8Array): void {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  state.issued ??= [];
  for (let at = 0; at < places.length; at += 2) {
    const text = issuedText(all, places[at] ?? 0, places[at + 1] ?? 0);
    // Several events of an answer name the same.
    if (state.issued.includes(text)) continue;
    keepIssued(state.issued, [text]);
    state.issuedCount += 1;
  }
}

/** Adds texts that only their issuer can read; of too many, the first are forgotten. */
export function keepIssued(kept: string[], texts: readonly string[]): void {
  kept.push(...texts);
  if (kept.length > issuedInStreamMax) kept.splice(0, kept.length - issuedInStreamMax);
}

/** Returns the error that a suspected event reports. Undefined: it reports none after all. */
function readFault(state: Metering, payload: Uint8Array, named: boolean): ErrorBody | undefined {
  const body = parseObject(payload);
  const error = state.options.format.readErrorBody(body);
  return error ?? (named ? { code: "", message: "", type: "error" } : undefined);
}

/** Returns what the usage reports of the stream say, once it is over. */
export function usageOf(state: Metering): ReadUsage {
  const { byteCount } = state.output;
  return sumUp(state.reports, {
    isOver: isComplete(state),
    hasOutput: byteCount > 0,
    isOutdated: byteCount > state.reportedBytes,
  });
}

/** Returns what a client reads as the usage of the stream. */
export function seenUsageOf({ firstReport, lastReport, options, reports }: Metering): ReadUsage {
  const { seenUsage } = options.format;
  if (seenUsage === undefined || firstReport === lastReport) {
    return reports?.last ?? { kind: "missing" };
  }
  return options.readUsage(seenUsage(lastReport, firstReport));
}

function parseObject(bytes: Uint8Array): unknown {
  return readJson(bytes, { start: 0, end: bytes.length, kind: "object" });
}

/**
 * Whether the answer is complete. Some servers omit the closing event, some the finish reasons; a
 * usage event without choices comes only after the last content.
 */
export function isComplete(state: Metering): boolean {
  if (state.fault !== undefined || state.blocked || state.passing) return false;
  const open = state.choices.includes(1);
  return state.done || (state.finished && !open) || (state.usageOnlySeen && state.contentSeen);
}

/**
 * Copies bytes into memory of their own: the chunk's memory belongs to the transport, and `slice`
 * of a Buffer would share it.
 */
export function copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end));
}

/**
 * Whether the cut is only the LF of a CRLF whose CR ended the previous chunk. That LF belongs to
 * the event before.
 */
function isRestOfLineEnd({ bytes, start, end }: SseCut): boolean {
  return end === start + 1 && bytes[start] === lineFeed;
}

function isNamed({ bytes, nameStart, nameEnd }: SseCut, name: string): boolean {
  return isText(bytes, nameStart, nameEnd, name);
}
