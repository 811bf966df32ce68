/**
 * Meters an answer that is not streamed: finds its usage and measures its output. Its bytes go to
 * the client unchanged, or not at all.
 */

import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import { readJson } from "#base/json-scan.ts";
import { skipBlanks } from "#base/json-cursor.ts";
import { judgeZero, type ReadUsage, reportedCost } from "#canonical/usage.ts";
import { blankCost } from "#formats/shared/usage/reported-cost.ts";
import type {
  AnswerScan,
  AnswerScanner,
  ErrorBody,
  UpstreamFormat,
  UsageReader,
} from "#formats/format.ts";
import { tokensOf, weighText } from "#base/text-weight.ts";
import { openKeptOutput } from "./kept-output.ts";
import type { StreamEnd } from "./stream-meter.ts";

/** The longest answer, in bytes. The transport ends a call whose answer is longer. */
export const answerBytesMax = 64 * 1024 * 1024;

/**
 * The longest usage object that is parsed, and the longest body that is searched for an error, in
 * bytes.
 */
const parsedBytesMax = 64 * 1024;

type AnswerMeterOptions = {
  readonly format: UpstreamFormat;
  /** Reads the usage object: the provider's function, or the format's if the provider has none. */
  readonly readUsage: UsageReader;
};

export type MeteredAnswer = {
  readonly usage: ReadUsage;
  /** The service tier that the answer names. */
  readonly tier: ServedTier;
  /** The web searches that the answer tells beside its usage. */
  readonly searches: number;
  /**
   * The error that the body of a 200 reports, or that the body is not an answer. It must be
   * scrubbed before a client sees it.
   */
  readonly fault: ErrorBody | undefined;
  /** Bytes of all output. `judgeUsage` compares the reported usage with them. */
  readonly contentBytes: number;
  /** Estimated tokens of all output. */
  readonly outputTokens: number;
  /** Whether the answer is complete. */
  readonly complete: boolean;
  /** Extracts the output from the answer, when the gateway must count its tokens itself. */
  readOutput(): AnswerOutput;
};

type AnswerOutput = {
  /**
   * The beginning of the output, including thinking and tool arguments. The texts of several
   * choices follow one another.
   */
  readonly text: string;
  readonly textTruncated: boolean;
  /** Estimated tokens of all output. */
  readonly outputTokens: number;
};

/** A metered answer. A class, because one is made for every call. */
class Metered implements MeteredAnswer {
  readonly usage: ReadUsage;
  readonly tier: ServedTier;
  readonly searches: number;
  readonly fault: ErrorBody | undefined;
  readonly contentBytes: number;
  readonly outputTokens: number;
  readonly #bytes: Uint8Array;
  readonly #format: UpstreamFormat;

  constructor(bytes: Uint8Array, scan: AnswerScan, options: AnswerMeterOptions) {
    const { format } = options;
    let contentBytes = 0;
    let weight = 0;
    for (let at = 0; at < scan.texts.length; at += 2) {
      const start = scan.texts[at] ?? 0;
      const end = scan.texts[at + 1] ?? 0;
      contentBytes += end - start;
      weight += weighText(bytes, start, end);
    }
    this.contentBytes = contentBytes;
    this.outputTokens = tokensOf(weight);
    this.fault = readFault(bytes, scan, format);
    const report = parseUsage(bytes, scan);
    this.usage = readUsage(report, scan, options);
    if (reportedCost(this.usage) !== "") blankCost(bytes, scan.usageStart, scan.usageEnd);
    this.tier = scan.tier || (format.readTier?.(report, report) ?? "");
    this.searches = scan.searches;
    this.#bytes = bytes;
    this.#format = format;
  }

  get complete(): boolean {
    return this.fault === undefined;
  }

  readOutput(): AnswerOutput {
    // Scanned again, because the scan of the answer has been used for others since.
    return readOutput(this.#bytes, scanWith(this.#format, this.#bytes));
  }
}

/** The scanner of each format, which scans one answer after the other. */
const scanners = new Map<UpstreamFormat, AnswerScanner>();

/** Scans an answer. The result is valid until the next scan. */
function scanWith(format: UpstreamFormat, bytes: Uint8Array): AnswerScan {
  let scanner = scanners.get(format);
  if (scanner === undefined) {
    scanner = format.openScanner();
    scanners.set(format, scanner);
  }
  scanner.scanAnswer(bytes);
  return scanner.found;
}

/** Meters a whole answer, which has at most `answerBytesMax` bytes. */
export function meterAnswer(bytes: Uint8Array, options: AnswerMeterOptions): MeteredAnswer {
  return new Metered(bytes, scanWith(options.format, bytes), options);
}

/** Returns what was metered of a stream, which is put together as a whole answer. */
export function meteredStream(end: StreamEnd): MeteredAnswer {
  const { complete, contentBytes, outputTokens, searches, text, textTruncated, tier, usage } = end;
  return {
    usage,
    tier,
    fault: undefined,
    contentBytes,
    outputTokens,
    searches,
    complete,
    readOutput: () => ({ text, textTruncated, outputTokens }),
  };
}

/** Parses the usage object. Undefined: there is none, or it is too long. */
function parseUsage(bytes: Uint8Array, { usageStart: start, usageEnd: end }: AnswerScan): unknown {
  if (start < 0 || end - start > parsedBytesMax) return undefined;
  return readJson(bytes, { start, end, kind: "object" });
}

function readUsage(
  report: unknown,
  { byProgram, usageStart: start, usageEnd: end }: AnswerScan,
  options: AnswerMeterOptions,
): ReadUsage {
  if (start < 0) return { kind: "missing" };
  if (end - start > parsedBytesMax) return { kind: "suspect", reason: "usage object too long" };
  return judgeZero(options.readUsage(report), byProgram);
}

function readFault(
  bytes: Uint8Array,
  scan: AnswerScan,
  format: UpstreamFormat,
): ErrorBody | undefined {
  const start = skipBlanks(bytes, 0, bytes.length);
  if (start === bytes.length) return malformed("the answer is empty");
  if (bytes[start] === 0x3c) return malformed("the answer is an HTML page");
  const suspected = scan.errorSuspected || !scan.answering;
  if (suspected && bytes.length <= parsedBytesMax) {
    const error = format.readErrorBody(
      readJson(bytes, { start, end: bytes.length, kind: "object" }),
    );
    if (error !== undefined) return error;
  } else if (scan.errorSuspected) {
    return malformed("the answer reports an error");
  }
  if (scan.malformed) return malformed("the answer is not JSON");
  return scan.answering ? undefined : malformed("the answer lacks the fields of its format");
}

function malformed(message: string): ErrorBody {
  return { code: "answer-malformed", message, type: "upstream_error" };
}

function readOutput(bytes: Uint8Array, { texts }: AnswerScan): AnswerOutput {
  const output = openKeptOutput();
  let weight = 0;
  for (let at = 0; at < texts.length; at += 2) {
    weight += weighText(bytes, texts[at] ?? 0, texts[at + 1] ?? 0);
  }
  output.add(bytes, texts, weight);
  const { text, truncated } = output.read();
  return { text, textTruncated: truncated, outputTokens: tokensOf(output.weight) };
}
