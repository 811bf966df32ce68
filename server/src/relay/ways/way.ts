/**
 * What a way can do: ask a channel's upstream, and read its answers. There is one object for each
 * kind of way, and nobody outside of this folder asks which kind it is.
 */

import type { Modality } from "#canonical/modality.ts";
import type {
  BodyRefusal,
  ClientFormat,
  ErrorBody,
  RequestBody,
  RequestReader,
  UpstreamFormat,
  UsageReader,
} from "#formats/format.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { UpstreamFormatId } from "#formats/translation-registry.ts";
import type { Target } from "#network/target.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { MeteredAnswer } from "#relay/meter/answer-meter.ts";
import type { StreamMeter } from "#relay/meter/stream-meter.ts";

/** What a way leads to and from, the same for all calls of a model and a kind. */
export type WayFacts = {
  readonly channel: ChannelView;
  /** The client's format. */
  readonly formatId: ClientFormatId;
  /** The format in which the upstream is asked. */
  readonly upstreamId: UpstreamFormatId;
  readonly modality: Modality;
  readonly isStream: boolean;
  /** The upstream's name of the model. */
  readonly model: string;
  /** Whether the upstream is asked for the usage of a stream, in a field that not all of them know. */
  readonly asksForUsage: boolean;
};

/** How what comes from an upstream is read as it is. */
type UpstreamReading = {
  readonly format: UpstreamFormat;
  /** Reads usage objects: the provider's function, or the format's if the provider has none. */
  readonly readUsage: UsageReader;
};

export type Way = WayFacts &
  UpstreamReading & {
    /** Whether the upstream is asked in the client's own format. */
    readonly speaksFormat: boolean;
    /** Whether the upstream is asked for a stream, which some are for whole answers, too. */
    readonly asksStream: boolean;
    /** Null: the channel has no valid URL for this kind of call. */
    readonly target: Target | null;
    /** The media types that the upstream is asked for. */
    readonly accepts: UpstreamFormat["accepts"];
    /** The headers of requests with each of the channel's keys, as far as they were needed. */
    readonly headers: Map<string, Readonly<Record<string, string>>>;
    /** Reads requests as the upstream gets them. */
    readonly requests: RequestReader;
    /** Whether nothing follows a message, for upstreams that are asked over a WebSocket. */
    readonly isLastMessage: ((message: Uint8Array) => boolean) | undefined;
    /** How answers are read to requests that were written as bytes alone. */
    readonly reading: Reading;
    /**
     * Writes the request for the upstream; a refusal says why that is impossible.
     *
     * @param received the request as this upstream may read it; mostly it is the client's.
     * @param hashOf makes the keyed hash that stands for a name of the client's which is too long.
     * @returns bytes alone where `reading` reads the answer.
     */
    write(
      call: WrittenCall,
      received: Received,
      hashOf: (text: string) => string,
    ): BodyRefusal | Uint8Array | Written;
    /**
     * Writes the request for a question about it, without what a channel adds to calls. Null: the
     * upstream cannot be asked about it.
     */
    writeQuestion(received: Received): Uint8Array | null;
    /**
     * Returns the way that does not ask for the usage. Undefined: this one does not ask either, or
     * the client does by itself.
     */
    withoutUsage(body: RequestBody): Way | undefined;
  };

/** Opens a way of one kind. Undefined: such calls do not go this way. */
export type WayKind = (facts: WayFacts) => Way | undefined;

/** A request's body, and what was read of it. */
export type Received = { readonly body: RequestBody; readonly bytes: Uint8Array };

/** What of a call the writer of its request needs. */
export type WrittenCall = {
  /** The model as the client named it. */
  readonly model: string;
  readonly isStream: boolean;
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** How the client's conversation goes on by an id; null: it does not. */
  readonly conversation: { readonly previousId: string; readonly keepsAnswer: boolean } | null;
};

/** A request in the upstream's form, and how its answer is read. */
export type Written = { readonly bytes: Uint8Array; readonly reading: Reading };

/** What of a call the reader of its answer needs. */
export type AnsweredCall = { readonly body: RequestBody; readonly format: ClientFormat };

/** How the answer to one request is read, and what the request was not told. */
export type Reading = {
  /** Names of the fields that the upstream's format cannot carry. */
  readonly losses: readonly string[];
  /** What the header `anthropic-beta` must name. */
  readonly betas: readonly string[];
  /**
   * Whether the upstream is asked for more output than the client, because some formats count
   * reasoning in their limit, or have a smallest one; for another service tier; or to read what the
   * client's request does not show, such as the results of a search.
   */
  readonly changesPrice: boolean;
  /** Whether the request's file is sent as the body itself, and not in a form. */
  readonly sendsFileAlone: boolean;
  /** Whether the answer goes on as the upstream wrote it, with the ids that it keeps. */
  readonly passesOn: boolean;
  /**
   * How a stream and a whole answer in its place can be told apart: by their first bytes, not at all
   * (so that everything is read as a stream), or by the media type alone.
   */
  readonly sign: "bytes" | "none" | "type";
  /** The request to which answers are written anew; null: they go on as they came. */
  readonly received: Received | null;
  /** Whether a whole answer has to be parsed and written anew, for which a long one goes apart. */
  isParsed(call: AnsweredCall, bytes: Uint8Array, mediaType: string): boolean;
  /** Opens the meter of a stream. */
  openMeter(call: AnsweredCall): StreamMeter;
  /** Returns what meters a whole answer as a stream; undefined: it is none, or reports an error. */
  openWhole(call: AnsweredCall, bytes: Uint8Array): WholeAsStream | undefined;
  /** Reads a whole answer. */
  readWhole(call: AnsweredCall, bytes: Uint8Array, mediaType: string): BadAnswer | WholeAnswer;
};

export type WholeAsStream = { readonly meter: StreamMeter; readonly events: Uint8Array };

/** A whole answer for the client. */
export type WholeAnswer = {
  readonly kind: "whole";
  readonly channel: ChannelView;
  readonly bytes: Uint8Array;
  readonly metered: MeteredAnswer;
  readonly mediaType: string;
};

/** What came with a status of success and is no answer. */
export type BadAnswer = {
  readonly kind: "bad";
  readonly reason: string;
  /** What the upstream says of it; undefined: nothing. */
  readonly error: ErrorBody | undefined;
};

export function badAnswer(reason: string, error?: ErrorBody): BadAnswer {
  return { kind: "bad", reason, error };
}

/** Reduces an upstream's error code, which may be any text, to one of two values for metrics. */
export function reasonOf({ code }: ErrorBody): string {
  return code === "answer-malformed" ? code : "answer-error";
}

/** The field that asks for the usage of a stream, which old servers refuse. */
export const usageField = "stream_options";

export const nothingLost: readonly string[] = [];
