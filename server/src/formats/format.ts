/**
 * The interface of a wire format, in two halves: what clients send and how they are answered, and
 * what upstreams answer. The code of a format is pure (no clock, network or environment), so tests
 * with recorded traffic cover all of it.
 *
 * When client and upstream speak the same format, the bytes pass through, and only what routing and
 * billing need is read from them. What translates between two formats has its own interface,
 * `translation.ts`, and what converts small questions another, `conversion.ts`.
 */

import type { AskedTier, ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import type { JsonObject } from "#base/json.ts";
import type { Span } from "#base/json-scan.ts";
import type { Modality } from "#canonical/modality.ts";
import type { ReadUsage, Usage } from "#canonical/usage.ts";
import type { IssuedReader, KeptReader, NamesReader } from "./later-turns.ts";
import type { LiveFormat } from "./live.ts";

export type Format = {
  /** What clients send; absent: only upstreams speak this format. */
  readonly client?: ClientFormat;
  readonly upstream: UpstreamFormat;
};

/** What clients of the format send, and how they are answered. */
export type ClientFormat = {
  /** Reads what routing, pricing and the hold need from a request's body. */
  readRequest(bytes: Uint8Array, path: RequestPath): RequestBody | BodyRefusal;
  /** Applies the changes to a request's body and leaves every other byte as it was. */
  rewriteRequest(bytes: Uint8Array, body: RequestBody, changes: BodyChanges): Uint8Array;
  /** Returns the prompt of a parsed request, to be counted when the upstream reports no usage. */
  readPrompt(body: unknown): PromptText;
  /**
   * Estimates the tokens of a request by its bytes. Each media part counts a fixed number of
   * tokens.
   */
  estimatePrompt(bytes: Uint8Array): number;
  /** Returns the smallest request that shows whether an upstream serves the model. */
  smallRequest(model: string, modality: Modality): object;
  /**
   * Puts a text in front of the instructions in the parsed request of a conversation; absent: the
   * format has no conversations.
   */
  addInstructions?(body: JsonObject, text: string): JsonObject;
  readonly fields: RequestFields;
  /** Makes the JSON body of an error answer. */
  errorBody(error: ClientError): string;
  readonly stream: StreamWords;
  /** How answers of the format tell their tokens; absent: they do not. */
  readonly usage?: UsageWords;
  /**
   * Make the answers to requests for the model list and for one model; absent: clients of this
   * format ask for models in OpenAI's.
   */
  modelList?(models: readonly ListedModel[]): object;
  modelEntry?(model: ListedModel): object;
  /**
   * Finds what of a conversation only the upstream that issued it can read; absent: nothing of the
   * format is bound to an upstream.
   */
  readonly issued?: IssuedReader;
  /**
   * Reads what the gateway keeps of a conversation, so that requests can continue it by an id;
   * absent: requests of the format always have the whole conversation.
   */
  readonly kept?: KeptReader;
  /**
   * Finds what requests name that an upstream keeps, and what answers give of that; absent: as all
   * formats have it, and answers give nothing.
   */
  readonly names?: NamesReader;
  /** Makes the answer to a question for the number of tokens; absent: the format has no such question. */
  countAnswer?(tokens: number): object;
  /**
   * The same format for clients that read a stream as one JSON list; absent: no client of the format
   * does.
   */
  readonly listed?: ClientFormat;
  /** Reads the messages of sessions over a WebSocket; absent: the format has no sessions. */
  readonly live?: LiveFormat;
};

/** What the path of a request says, because the body may omit it. */
export type RequestPath = {
  readonly modality: Modality;
  /** Null: the path names no model. */
  readonly model: string | null;
  /** Whether the path asks for a stream. Absent: the body says it. */
  readonly stream?: boolean;
  /**
   * The files of a request that came as a form. Its other fields are the body, as texts. Absent: the
   * request came as JSON.
   */
  readonly files?: readonly FormFile[];
};

/** A file in a form (multipart/form-data). */
export type FormFile = {
  /** The name of the field. */
  readonly name: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
};

/** What was read from a request's body, and where it stands there. */
export type RequestBody = {
  readonly modality: Modality;
  readonly model: string;
  readonly stream: boolean;
  /** Number of answers requested; all of them are generated and billed. */
  readonly answerCount: number;
  /** The client's limit on the output tokens of each answer. Null: it sets none. */
  readonly maxTokens: number | null;
  /** Whether the client requested the usage event of a stream. */
  readonly wantsUsage: boolean;
  /**
   * Whether the client wants the cost of a stream in its usage. Absent: the body does not name the
   * field, which upstreams do not know.
   */
  readonly wantsCost?: boolean;
  /**
   * How much the client asks the model to think, in its own word; empty: it does not say. Absent:
   * the format has no such field.
   */
  readonly effort?: string;
  /**
   * Bytes that may be text for the model: everything but media. Half this number is an upper bound
   * of the text's tokens in any language, since the bytes of JSON's syntax are included.
   */
  readonly textBytes: number;
  /**
   * Number of media parts, for each of which a fixed number of tokens is held; a long one counts
   * more than once.
   */
  readonly mediaParts: number;
  /**
   * Whether the upstream reads and charges more than the request contains: results of its own
   * tools, or a conversation that it keeps.
   */
  readonly hasUnseenInput: boolean;
  /** The service tier that the request asks for; absent: its format has only the default one. */
  readonly tier?: AskedTier;
  /**
   * Whether the request may name what an upstream keeps, so that it has to be searched for that.
   * Absent: it may.
   */
  readonly mayName?: boolean;
  /** What the call is charged for besides text; absent: nothing. */
  readonly work?: Work;
  /** Whether the answer is passed on as bytes that the gateway does not read, such as sound. */
  readonly isBytes?: boolean;
  /** Positions of the body's fields that `rewriteRequest` may have to change. */
  readonly spans: ReadonlyMap<string, Span>;
};

/** What a call costs that is not priced by the tokens of its text. */
export type Work = {
  /** By how much the price of a call is multiplied, in thousandths. */
  readonly callThousandths: number;
  /** Input tokens that are billed if the upstream reports no usage; null: those of the text. */
  readonly input: number | null;
  /** The most input and output tokens that the upstream's report may have. */
  readonly inputMax: number;
  readonly outputMax: number;
};

/** Why a body is refused, with status 400. */
export type BodyRefusal = {
  readonly code: string;
  /** The field at fault. Empty: the fault concerns the body as a whole. */
  readonly param: string;
  readonly message: string;
};

export type BodyChanges = {
  /** The upstream model, which may differ from the model that the client named. */
  readonly model: string;
  /** Whether to request the usage event of the stream. */
  readonly asksForUsage: boolean;
};

/**
 * Reads requests of a format that the gateway has written, as far as their price and a channel's
 * override of parameters concern them.
 */
export type RequestReader = Pick<ClientFormat, "readRequest"> & {
  readonly fields: Pick<RequestFields, "keptByOverride"> &
    Partial<Pick<RequestFields, "messages" | "texts">>;
  /** The fields of a request that its price is read from; absent: all but those with texts. */
  readonly priced?: readonly string[];
};

/** The text of a prompt, and how many tokens to add for its parts that are not text. */
export type PromptText = { readonly text: string; readonly extraTokens: number };

/** Names of a request's fields, for code that handles requests of any format. */
export type RequestFields = {
  /** The name of the field with the messages. */
  readonly messages: string;
  /** Names of the fields that limit output tokens. */
  readonly outputLimits: readonly string[];
  /** Names of the fields that contain text for the model, at any depth of the body. */
  readonly texts: readonly string[];
  /**
   * Names of fields that only the client decides: a channel's parameter override does not set them.
   */
  readonly keptByOverride: readonly string[];
};

/** The error text for the client. The failed call's log row contains it, too. */
export type ErrorText = {
  /**
   * `new_api_error` for the gateway's own errors, as in one-api compatible gateways; for an
   * upstream's error, the type that the upstream sent.
   */
  readonly type: string;
  readonly code: string;
  readonly message: string;
  /** The request field at fault; absent or empty: none. */
  readonly param?: string;
};

export type ClientError = {
  readonly status: number;
  readonly error: ErrorText;
  readonly requestId: string;
};

/** What the gateway itself writes into a stream, as opposed to an upstream. */
export type StreamWords = {
  readonly contentType: string;
  /** Written from time to time while an upstream sends nothing. Clients ignore it. */
  readonly keepAlive: Uint8Array;
  /** Ends an event of which only a part was sent. */
  readonly eventEnd: string;
  /** Makes a complete event that reports an error. */
  errorEvent(error: ClientError): string;
  /**
   * Writes the cost into the last events of a complete stream; absent: the format's clients cannot
   * ask for it.
   */
  addCost?(tail: Uint8Array, told: ToldCost): Uint8Array;
  /** Puts the bytes of a stream together to a text for people. */
  assemble(bytes: Uint8Array): string;
  /** Opens what gives a stream's events another form; absent: clients read them as events. */
  openReframer?(): StreamReframer;
};

/** How clients are told the tokens of an answer where the gateway has counted them itself. */
export type UsageWords = {
  /** The field with the usage: of a whole answer, and of events unless they have the answer in them. */
  readonly field: string;
  /** The field of an event that has the answer in it; absent: the event itself has the usage. */
  readonly within?: string;
  /** Whether an event without usage may have it; absent: only one that has it already. */
  readonly mayHave?: (event: JsonObject) => boolean;
  /** Makes an event with the usage alone; absent: clients know no such event. */
  event?(usage: JsonObject, model: string): JsonObject;
  write(usage: Usage): JsonObject;
};

/** Gives the bytes of one stream's events another form. */
export type StreamReframer = {
  /**
   * Returns at least one byte, to be sent in place of these.
   *
   * @throws FrameError when an event is too large.
   */
  write(bytes: Uint8Array): Uint8Array;
  /** The same for the last bytes of the stream, which may be none. */
  end(last: Uint8Array): Uint8Array;
};

/** What a client is told of a call that was charged. */
export type ToldCost = {
  /** US dollars. */
  readonly cost: number;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
};

export type ListedModel = {
  readonly name: string;
  /** Id of the provider that serves the model. */
  readonly ownedBy: string;
};

/** How upstreams of the format answer. */
export type UpstreamFormat = {
  /** The largest event that is read, in bytes; absent: the usual. Longer ones are only passed on. */
  readonly eventBytesMax?: number;
  /** Media types that the `accept` header requests from the upstream. */
  readonly accepts: { readonly stream: string; readonly whole: string };
  /** Opens a scanner for the bytes of one answer. */
  openScanner(): AnswerScanner;
  readonly readUsage: UsageReader;
  /**
   * Puts the first usage object and the last together as clients of the format do; absent: clients
   * take the last.
   */
  readonly seenUsage?: (last: unknown, first: unknown) => unknown;
  /** The name of the event that tells the usage at the end of a stream; absent: it has none. */
  readonly usageEvent?: string;
  /** Reads the service tier in the usage; absent: the scanner finds it, or the format has none. */
  readonly readTier?: TierReader;
  /** Finds the error that an answer's body reports. Undefined: no known form of error. */
  readErrorBody(body: unknown): ErrorBody | undefined;
  /** Reads upstreams that answer in the other mode than they were asked in; absent: that fails. */
  readonly otherMode?: OtherMode;
};

/**
 * Turns a whole answer into a stream, and a stream into a whole answer, with all of their fields:
 * some servers send a stream to who asked for none, or send none.
 */
export type OtherMode = {
  toStream(answer: JsonObject, modality: Modality): string;
  /**
   * @param events the payloads of the events.
   * @returns undefined: they are no answer.
   */
  toWhole(events: readonly JsonObject[]): JsonObject | undefined;
};

/**
 * Turns one usage object, parsed, into counts that do not overlap. An answer may have several of them:
 * canonical/usage-reports.ts puts them together.
 */
export type UsageReader = (report: unknown) => ReadUsage;

/**
 * Reads which service tier has served an answer from the last usage object and the first, which are
 * the same if there is only one.
 */
type TierReader = (last: unknown, first: unknown) => ServedTier;

export type AnswerScanner = {
  /** The result of the last scan. Every scan overwrites this object. */
  readonly found: AnswerScan;
  /** Scans one event of a stream. [start, end) is its payload. */
  scanEvent(bytes: Uint8Array, start: number, end: number): void;
  /** Scans an answer that is not streamed. */
  scanAnswer(bytes: Uint8Array): void;
};

/** What one event, or one whole answer, contains of interest to billing and error handling. */
export type AnswerScan = {
  /** Where the model's output stands, as positions of JSON string text: start, end, start, end … */
  readonly texts: number[];
  /** How many bytes of that are known to be reasoning, in formats that count it apart. */
  reasoningBytes: number;
  /** The choices found: for each its index, then 1 if it has finished, else 0. */
  readonly choices: number[];
  /** Where texts stand that only their issuer can read: start, end …; null: the format has none. */
  issued: number[] | null;
  /** Where the usage object begins in the bytes. -1: there is none. */
  usageStart: number;
  usageEnd: number;
  /** The service tier that the answer names beside its usage; empty: none that is known. */
  tier: ServedTier;
  /**
   * How many web searches the provider has made for the answer so far, as far as that stands beside
   * its usage. It is kept from event to event.
   */
  searches: number;
  /** Whether the usage is of output that a resumed program made, so that it may be 0. */
  byProgram: boolean;
  /**
   * Whether the event has usage and no choices: upstreams send such an event only if usage was
   * requested.
   */
  usageOnly: boolean;
  /** Whether this event closes the stream. */
  done: boolean;
  /** Whether the event may report an error. Only then is it parsed and `readErrorBody` called. */
  errorSuspected: boolean;
  /** Whether the event has the field for an answer's content, even if that is an empty list. */
  answering: boolean;
  /** Whether the event starts like JSON but is not valid JSON. */
  malformed: boolean;
};

/** An error in the upstream's own words. */
export type ErrorBody = {
  readonly code: string;
  readonly message: string;
  readonly type: string;
  /** The pause that it asks for, whatever its length; absent: none. */
  readonly retryAfterMs?: number;
};
