/**
 * What a wire format provides, in two halves: the requests that clients send and how they are
 * answered, and the answers that upstreams give. A format is pure (no clock, network or
 * environment), so recorded traffic decides every question about it.
 *
 * When client and upstream speak the same format, the bytes pass through; only what routing and
 * billing need is read from them. Translation between two formats joins these halves with the
 * second format: canonical/request.ts, canonical/event.ts.
 */

import type { Span } from "#base/json-scan.ts";
import type { Modality } from "#canonical/modality.ts";
import type { ReadUsage } from "#canonical/usage.ts";

export type Format = {
  /** Absent: upstreams speak the format, clients do not. */
  readonly client?: ClientFormat;
  readonly upstream: UpstreamFormat;
};

/** What a client sends, and what it is answered. */
export type ClientFormat = {
  /** Reads what routing, pricing and the hold need from a request's body. */
  readRequest(bytes: Uint8Array, path: RequestPath): RequestBody | BodyRefusal;
  /** The body with these changes and every other byte as it was. */
  rewriteRequest(bytes: Uint8Array, body: RequestBody, changes: BodyChanges): Uint8Array;
  /** What a parsed request gives the model to read, for when the upstream counts nothing itself. */
  readPrompt(body: unknown): PromptText;
  /** The smallest request that shows whether an upstream serves the model. */
  smallRequest(model: string, modality: Modality): object;
  readonly fields: RequestFields;
  /** The body of an answer that reports an error. JSON. */
  errorBody(error: ClientError): string;
  readonly stream: StreamWords;
  /** The list of models, and one model alone, as the format's clients read them. */
  modelList(models: readonly ListedModel[]): object;
  modelEntry(model: ListedModel): object;
};

/** What the path of a request says that its body may leave out. */
export type RequestPath = {
  readonly modality: Modality;
  /** Null: the body names it. */
  readonly model: string | null;
};

/** What a client's body says, and where it says it. */
export type RequestBody = {
  readonly modality: Modality;
  readonly model: string;
  readonly stream: boolean;
  /** Answers asked for; all of them are generated and billed. */
  readonly answerCount: number;
  /** Limit on the output tokens of one answer. Null: none. */
  readonly maxTokens: number | null;
  /** The client wants the usage event of a stream. */
  readonly wantsUsage: boolean;
  /**
   * Bytes that may be text for the model: everything but media. Half of it is an upper bound of
   * its tokens in ordinary text of any language, since the frame of JSON is counted, too.
   */
  readonly textBytes: number;
  /** Media parts to hold a fixed number of tokens for; long ones count more than once. */
  readonly mediaParts: number;
  /** Where the fields stand that `rewriteRequest` may have to change. */
  readonly spans: ReadonlyMap<string, Span>;
};

/** Why a body is not sent on; the answer is 400. */
export type BodyRefusal = {
  readonly code: string;
  /** The field at fault. Empty: the body as a whole. */
  readonly param: string;
  readonly message: string;
};

export type BodyChanges = {
  /** The upstream's name of the model. */
  readonly model: string;
  /** Ask for the usage event of a stream. */
  readonly asksForUsage: boolean;
};

/** Text to be counted, and tokens that come on top. */
export type PromptText = { readonly text: string; readonly extraTokens: number };

/** Names of fields in a request, for those who look at requests of any format. */
export type RequestFields = {
  /** The list of the conversation's messages. */
  readonly messages: string;
  /** Limits on output tokens. */
  readonly outputLimits: readonly string[];
  /** Text for the model stands in these, at any depth. */
  readonly texts: readonly string[];
  /** The client decides these: a channel's parameter override leaves them as they are. */
  readonly keptByOverride: readonly string[];
};

/** What a client is told of a failure. Also what the failed call's log row says. */
export type ErrorText = {
  /** `new_api_error`: ours, as one-api compatible gateways spell it. Else the upstream's word. */
  readonly type: string;
  readonly code: string;
  readonly message: string;
  /** The field at fault; absent or empty: none. */
  readonly param?: string;
};

export type ClientError = {
  readonly status: number;
  readonly error: ErrorText;
  readonly requestId: string;
};

/** What the gateway itself writes into a stream of the format. */
export type StreamWords = {
  readonly contentType: string;
  /** Clients read no event in it. */
  readonly keepAlive: Uint8Array;
  /** Ends an event of which only a part was written. */
  readonly eventEnd: string;
  /** The event that reports an error, its end included. */
  errorEvent(error: ClientError): string;
};

export type ListedModel = {
  readonly name: string;
  /** Id of the provider that serves it. */
  readonly ownedBy: string;
};

/** What an upstream answers. */
export type UpstreamFormat = {
  /** Media types that the upstream is asked to answer with. */
  readonly accepts: { readonly stream: string; readonly whole: string };
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
  /** The event that closes the stream. */
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
