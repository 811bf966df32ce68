/**
 * What a wire format must provide. A codec is pure (no clock, network or environment), so recorded
 * answers decide every question about it.
 *
 * When client and upstream speak the same format, bytes pass through and only what is billed is
 * read from them; that is the part here. The four functions of translation (request and events,
 * each way) join it with the second format: canonical/request.ts, canonical/event.ts.
 */

import type { ReadUsage } from "#canonical/usage.ts";

export type Codec = {
  /** A scanner for one answer. */
  openScanner(): AnswerScanner;
  /** The usage object of an answer as disjoint counts. */
  readUsage(raw: unknown): ReadUsage;
  /** The error an answer's body reports. Undefined: it reports none that can be recognised. */
  readErrorBody(body: unknown): ErrorBody | undefined;
};

export type AnswerScanner = {
  /** What the last scan found; one record, overwritten by each. */
  readonly found: AnswerScan;
  /** Reads one event of a stream; [start, end) is its payload. */
  scanEvent(bytes: Uint8Array, start: number, end: number): void;
  /** Reads an answer that is not streamed. */
  scanAnswer(bytes: Uint8Array): void;
};

/** What one event, or one whole answer, says about the things that are billed and judged. */
export type AnswerScan = {
  /** The model's output as JSON string text, escapes included: start, end, start, end … */
  readonly texts: number[];
  /** Number of each choice in it, followed by 1 when that choice has finished, else 0. */
  readonly choices: number[];
  /** The usage object. -1: there is none. */
  usageStart: number;
  usageEnd: number;
  /** Usage and no choice at all: what an upstream sends only when it was asked for usage. */
  usageOnly: boolean;
  /** The stream's closing word. */
  done: boolean;
  /** It may report an error: parse it and ask `readErrorBody`. */
  errorSuspected: boolean;
  /** It has what an answer consists of, if only an empty list. */
  answering: boolean;
  /** It begins as JSON and does not go on as JSON. */
  malformed: boolean;
};

/** An error in an upstream's own words. */
export type ErrorBody = { readonly code: string; readonly message: string; readonly type: string };
