/** How one API writes its answers. Each API has a file; `apis.ts` lists them. */

import type { Answer, AnswerPart, Counts } from "@tollgate/demo/answer.ts";
import type { Json } from "@tollgate/demo/json.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { ErrorBody } from "./errors.ts";

export type Api = {
  /** How a stream divides its events. */
  readonly framing: Framing;
  /** Whether `[DONE]` ends a stream; those of other APIs end with an event of their own. */
  readonly writesDone: boolean;
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

/**
 * `amazon`: the binary event streams of AWS. `blocks`: events whose lines the API writes itself.
 * `events`: server-sent events. `lines`: lines of JSON. `messages`: messages of a WebSocket.
 */
export type Framing = "amazon" | "blocks" | "events" | "lines" | "messages";
