/**
 * The interface of translation between wire formats. A client's request becomes a canonical
 * request, which the upstream's format writes; the upstream's answer becomes canonical events,
 * which the client's format writes. So N formats need 4 N functions, and no format knows another.
 *
 * When client and upstream speak the same format, none of this is used: the bytes pass through.
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { Answer } from "#canonical/answer.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import type { CanonicalRequest, HostedMeaning, Issuer } from "#canonical/request.ts";
import type { ReadUsage } from "#canonical/usage.ts";
import type {
  BodyRefusal,
  ClientError,
  RequestPath,
  RequestReader,
  UpstreamFormat,
} from "./format.ts";

/** The half of a client format that translates. */
export type ClientTranslation = {
  /** The fields at the top of a request that are read; another format is not told of others. */
  readonly carries: ReadonlySet<string>;
  parseRequest(body: JsonObject, path: TranslatedPath): ParsedRequest | BodyRefusal;
  /** Opens a writer for one streamed answer. */
  openStreamWriter(asked: AnsweredRequest): StreamWriter;
  /** Makes the body of an answer that is not streamed. */
  writeAnswer(answer: Answer, asked: AnsweredRequest): JsonObject;
};

/** `stream`: for formats whose path says it instead of the body. */
export type TranslatedPath = RequestPath & { readonly stream: boolean };

export type ParsedRequest = {
  readonly request: CanonicalRequest;
  /** Names of fields that no other format can carry. */
  readonly losses: readonly string[];
};

/** What the writer of an answer knows of the request. */
export type AnsweredRequest = {
  /** An id for the answer, for formats and upstreams without one. */
  readonly responseId: string;
  /** The model as the client named it. */
  readonly model: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The gateway's own estimate of the prompt, for formats that begin with its size. */
  readonly promptTokens: number;
  /** Whether the client requested the usage event of a stream. */
  readonly wantsUsage: boolean;
  /** Whether the gateway keeps the answer, so that later requests continue it. Absent: no. */
  readonly keepsAnswer?: boolean;
  /** The id of the kept answer that the request continues; absent or empty: none. */
  readonly previousId?: string;
  readonly request: CanonicalRequest;
  /** The request's body as sent, for formats that repeat fields of it. */
  readonly body: JsonObject;
};

export type StreamWriter = {
  /**
   * Returns what to send for the event; empty: nothing. `finish` closes the stream. Faults are not
   * written, but replaced by `fail`.
   */
  write(event: CanonicalEvent): string;
  /** Returns what closes the stream after a failure. */
  fail(error: ClientError): string;
};

/** The half of an upstream format that translates. */
export type UpstreamTranslation = {
  /** How the events of a stream are separated. */
  readonly framing: Framing;
  /** Whether upstreams answer only in streams, so that a whole answer is put together of one. */
  readonly streamsOnly?: boolean;
  /**
   * Whether nothing follows a message of the answer, for upstreams that are asked over a WebSocket:
   * the request is one message, and each message that comes is a line of the stream. Absent: they
   * are asked over HTTP.
   */
  readonly isLastMessage?: (message: Uint8Array) => boolean;
  readonly accepts: UpstreamFormat["accepts"];
  /** What the format takes less of than clients may send; absent: it takes all. */
  readonly bounds?: Bounds;
  /** Reads written requests, to which a channel may have added parameters. */
  readonly requests: RequestReader;
  /**
   * Writes the request for an upstream. Refuses what would make the answer wrong if it was left
   * out.
   */
  writeRequest(request: CanonicalRequest, quirks: Quirks): WrittenRequest | BodyRefusal;
  /**
   * Opens a reader for one streamed answer.
   *
   * @param seed a text that no other answer has, from which missing ids are made.
   */
  openReader(seed: string): AnswerReader;
  /** Reads an answer that is not streamed. */
  readAnswer(body: Json, seed: string): CanonicalEvent[];
};

/** How much of what clients send a format takes. The rest is changed, and changed back in answers. */
type Bounds = {
  /** How many stop sequences a model takes; the gateway cuts at the others. Absent: any number. */
  readonly stopsMax?: (model: string) => number;
  /** The longest name of an end user, in characters. Absent: 64. */
  readonly endUserMax?: number;
  /** Whether the schema of a tool may have any root, not only an object with properties. */
  readonly takesAnyRoot?: boolean;
  /** Whose files it takes by their ids; absent: nobody's. */
  readonly files?: Issuer;
  /** Which tools of providers it has words for in such a request; absent: none. */
  readonly hosted?: (request: CanonicalRequest, quirks: Quirks) => readonly HostedMeaning["type"][];
  /** Whether a choice of tools can demand them. Absent: it cannot. */
  readonly forcesHosted?: boolean;
};

/** The framings of streams; formats/shared/frame-reader.ts reads each. */
export type Framing = "aws-event-stream" | "json-lines" | "meta-events" | "sse" | "whole-body";

export type WrittenRequest = {
  readonly body: JsonObject;
  /** What the header `anthropic-beta` must name for the body; absent: nothing. */
  readonly betas?: readonly string[];
  /** Names of the request's fields that the format cannot carry, in its own words. */
  readonly losses: readonly string[];
};

/**
 * Reads the events of one stream. It emits a `finish` or a `fault` last, and nothing after it.
 * `event` is the name of the event, if the framing has names, or else empty.
 */
export type AnswerReader = {
  read(event: string, data: string): CanonicalEvent[];
  /** The stream has ended. */
  end(): CanonicalEvent[];
  /** Returns what was reported so far; absent: upstreams of the format report at the end alone. */
  reported?(): ReadUsage;
};

/** How a provider deviates from its format. Fields left out mean that it does not. */
export type Quirks = {
  /** The model by whose rules parameters are chosen, if the deployment has another name. */
  readonly baseModel?: string;
  /** `nine`: tool-call ids are exactly nine letters and digits (Mistral). */
  readonly toolIds?: "nine";
  /** The field with the reasoning of earlier turns, which must be sent back. */
  readonly reasoningField?: "reasoning" | "reasoning_content";
  /** Whether only `system` is known, not `developer`. */
  readonly systemRoleOnly?: boolean;
  /** The word that requires a call of any tool; `required` if left out. */
  readonly requiredChoice?: "any";
  /** Whether the output limit is always `max_tokens`. */
  readonly maxTokensOnly?: boolean;
  /** How thinking is turned on and off. */
  readonly thinkingSwitch?: "enable_thinking" | "reasoning" | "thinking";
  /** How a chat completion searches the web. Absent: models for it do, by `web_search_options`. */
  readonly webSearch?: "enable_search" | "tool" | "web_search_options";
  /** Whether the question is one of the inputs of an app (Dify). Absent: it stands beside them. */
  readonly asksByInput?: boolean;
  /** Whether the provider takes words of `anthropic-beta`. */
  readonly takesBetas?: boolean;
  /** Fields that the provider refuses. */
  readonly refusedFields?: readonly string[];
  /** Fields with fixed values that every request needs. */
  readonly addedFields?: JsonObject;
};

/** The translating halves of a format. */
export type Translation = {
  /** Absent: only upstreams speak this format. */
  readonly client?: ClientTranslation;
  /**
   * The client half for clients that read the text of an answer alone: it writes reasoning as text.
   * Absent: the format's clients read reasoning.
   */
  readonly textClient?: ClientTranslation;
  readonly upstream: UpstreamTranslation;
};
