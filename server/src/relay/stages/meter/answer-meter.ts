/** Meters an answer that is not streamed: its bytes go to the client as they are, or not at all. */

import { readJson } from "#base/json-scan.ts";
import { skipBlanks } from "#base/json-cursor.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import type { AnswerScan, ErrorBody, UpstreamFormat } from "#formats/format.ts";
import { openKeptOutput, tokensOf, weighText } from "./kept-output.ts";

/** Longest answer, in bytes; the transport ends the call beyond it. */
export const answerBytesMax = 64 * 1024 * 1024;

/** Longest usage object, and longest body searched for an error, in bytes. */
const parsedBytesMax = 64 * 1024;

export type AnswerMeterOptions = {
  readonly format: UpstreamFormat;
  /** The provider's reader of its usage object. */
  readonly readUsage: (raw: unknown) => ReadUsage;
};

export type MeteredAnswer = {
  readonly usage: ReadUsage;
  /** An error inside a 200, or a body that is no answer. Not for the client as it stands. */
  readonly fault: ErrorBody | undefined;
  /** Bytes of all output, to judge the usage by (`plausible`). */
  readonly contentBytes: number;
  /** Nothing is missing at the end. */
  readonly complete: boolean;
  /** The output itself, for when it must be counted here. Computed when asked for. */
  readOutput(): AnswerOutput;
};

export type AnswerOutput = {
  /** The head of the output: thinking and tool arguments too, choices one after another. */
  readonly text: string;
  readonly textTruncated: boolean;
  /** Estimate of all output. */
  readonly outputTokens: number;
};

/** Reads a whole answer of at most `answerBytesMax`. */
export function meterAnswer(bytes: Uint8Array, options: AnswerMeterOptions): MeteredAnswer {
  const scanner = options.format.openScanner();
  scanner.scanAnswer(bytes);
  const scan = scanner.found;
  let contentBytes = 0;
  for (let at = 0; at < scan.texts.length; at += 2) {
    contentBytes += (scan.texts[at + 1] ?? 0) - (scan.texts[at] ?? 0);
  }
  const fault = readFault(bytes, scan, options.format);
  return {
    usage: readUsage(bytes, scan, options),
    fault,
    contentBytes,
    complete: fault === undefined,
    readOutput: () => readOutput(bytes, scan),
  };
}

function readUsage(bytes: Uint8Array, scan: AnswerScan, options: AnswerMeterOptions): ReadUsage {
  const { usageStart: start, usageEnd: end } = scan;
  if (start < 0) return { kind: "missing" };
  if (end - start > parsedBytesMax) return { kind: "suspect", reason: "usage object too long" };
  return options.readUsage(readJson(bytes, { start, end, kind: "object" }));
}

function readFault(
  bytes: Uint8Array,
  scan: AnswerScan,
  format: UpstreamFormat,
): ErrorBody | undefined {
  const start = skipBlanks(bytes, 0, bytes.length);
  if (start === bytes.length) return malformed("the answer is empty");
  if (bytes[start] === 0x3c) return malformed("the answer is a page of HTML");
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
  return scan.answering
    ? undefined
    : malformed("the answer has nothing that an answer consists of");
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
