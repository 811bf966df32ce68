/** How one API writes its answers. Each API has a file; `apis.ts` lists them. */

import type { Answer, AnswerPart, Counts } from "@tollgate/demo/answer.ts";
import type { Json } from "@tollgate/demo/json.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { ErrorBody } from "./errors.ts";

export type Api = {
  /** How a stream divides its events. `amazon`: the binary event streams of AWS. */
  readonly framing: "amazon" | "events" | "lines";
  /** Whether `[DONE]` ends a stream; those of other APIs end with an event of their own. */
  readonly writesDone: boolean;
  /** Whether answers can have reasoning. */
  readonly reasons: boolean;
  /** Yields the events of a streamed answer, one part each. */
  events(answer: Answer): Iterable<AnswerPart>;
  /**
   * Yields the sections of the JSON body of an answer that is not streamed.
   *
   * @param grouped one section for all pieces, for answers that are sent in one write.
   */
  body(answer: Answer, grouped: boolean): Iterable<AnswerPart>;
  /** Returns the usage that a correct answer reports. */
  usage(script: DemoScript, counts: Counts): Json;
  /** Returns the body of an error with the status. */
  errorBody(status: number, error: ErrorBody): Json;
  /** Returns the event by which a stream reports an error, with its name if it has one. */
  errorEvent(error: Json): { readonly event?: string; readonly body: Json };
};
