/**
 * How one API reads what it is asked and writes its answers. Each API has a file; `routes.ts` finds
 * them by path.
 */

import type { Answer, AnswerPart, Counts } from "@tollgate/demo/answer.ts";
import type { Json, JsonObject } from "@tollgate/demo/json.ts";
import type { Admission } from "@tollgate/demo/keys.ts";
import type { DemoRequest } from "@tollgate/demo/request-parser.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { ErrorBody } from "./errors.ts";

/** What is known of a call besides its body. */
export type Around = {
  /** The model that the path names; empty: it names none. */
  readonly model: string;
  readonly path: string;
  readonly key: string;
  readonly header: DemoRequest["header"];
};

export type Api = {
  /** The field of a body with the conversation; absent: `messages`. */
  readonly conversation?: "contents" | "input" | "messages";
  /** The field of a body with texts that are answered one by one; absent: it has a conversation. */
  readonly texts?: "input" | "prompt";
  /** Whether the answer is vectors, which are never streamed. */
  readonly embeds?: boolean;
  /** Checks who calls. Absent: any key is taken but the one that is refused (`keys.ts`). */
  readonly admit?: (request: DemoRequest, nowMs: number) => Admission;
  /** Returns the API of a body, where the path does not say all. */
  readonly ofBody?: (body: JsonObject) => Api;
  /**
   * Reads a body as one of chat completions; a text says what is wrong with it. Absent: it has the
   * fields of one of the APIs that the demo upstream knows.
   */
  readonly read?: (body: JsonObject, around: Around) => JsonObject | string;
  /** How a stream divides its events. */
  readonly framing: Framing;
  /** What an event calls itself where `[DONE]` ends a stream; null: an event of its own ends it. */
  readonly chunk: "chat.completion.chunk" | "text_completion" | null;
  /** Whether answers can have reasoning. */
  readonly reasons: boolean;
  /** Whether an answer calls one function at most. */
  readonly callsOne?: boolean;
  /** The HTTP status of all refusals; absent: each has its own. */
  readonly refusalStatus?: number;
  /** Yields the events of a streamed answer, one part each. */
  events(answer: Answer): Iterable<AnswerPart>;
  /**
   * Yields the sections of the JSON body of an answer that is not streamed.
   *
   * @param grouped one section for all pieces, for answers that are sent in one write.
   */
  body(answer: Answer, grouped: boolean): Iterable<AnswerPart>;
  /** Returns the usage that a correct answer reports; null: the API reports none. */
  usage(script: DemoScript, counts: Counts): Json;
  /** Returns the body of an error with the status. */
  errorBody(status: number, error: ErrorBody): Json;
  /** Returns the event by which a stream reports an error, with its name if it has one. */
  errorEvent(error: Json): { readonly event?: string; readonly body: Json };
  /** Returns that event as lines, where events are no JSON. */
  errorBlock?(error: Json): string;
};

/** `events`: server-sent events. */
export type Framing = "events" | Packing;

/** Events that are no server-sent events. */
type Packing = {
  readonly contentType: string;
  /** Returns what ends each event. */
  readonly close?: (script: DemoScript) => string;
  /** Makes the whole of an event. */
  readonly pack?: (part: AnswerPart) => Uint8Array;
  /**
   * Makes a message of a WebSocket that is open, over which the answers come without a head; absent:
   * they are bodies.
   */
  readonly message?: (text: string) => Uint8Array;
};

/** Returns how messages of an API over a WebSocket are made; undefined: its answers are bodies. */
export function messageOf({ framing }: Api): ((text: string) => Uint8Array) | undefined {
  return framing === "events" ? undefined : framing.message;
}

/** Returns the HTTP status with which the API refuses a call for which `status` is the word. */
export function httpStatus({ refusalStatus }: Api, status: number): number {
  return status < 400 ? status : (refusalStatus ?? status);
}

/** Returns the JSON body of an error with the status, in the shape of the API. */
export function errorBodyText(api: Api, status: number, error: ErrorBody): string {
  return JSON.stringify(api.errorBody(status, error));
}

/** Returns the event by which a stream of the API reports an error. */
export function errorEventPart({ errorBlock, errorEvent }: Api, error: Json): AnswerPart {
  const { body, ...named } = errorEvent(error);
  const text = errorBlock?.(error) ?? JSON.stringify(body);
  return { kind: "finish", text, pieces: 0, ...named };
}
