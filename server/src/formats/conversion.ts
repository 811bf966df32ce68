/**
 * Translation of calls that have one small question and one whole answer: embeddings and rerank. A
 * client's half parses its request and writes its answer, an upstream's half the other way round.
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { BodyRefusal } from "./format.ts";
import type { WrittenRequest } from "./translation.ts";

export type ConversionClient<Request, Answer> = {
  parse(
    body: JsonObject,
  ): { readonly request: Request; readonly losses: readonly string[] } | BodyRefusal;
  write(answer: Answer, asked: ConversionAsked): JsonObject;
};

export type ConversionUpstream<Request, Answer> = {
  write(request: Request, model: string): WrittenRequest;
  /** Undefined: the answer is not one of the format. */
  read(answer: Json, request: Request): Answer | undefined;
};

/** What the writer of an answer knows of the request. */
type ConversionAsked = {
  readonly body: JsonObject;
  /** The model as the client named it. */
  readonly model: string;
  /** The gateway's own estimate of the prompt. */
  readonly promptTokens: number;
};

/** How one call is converted. */
export type Conversion = {
  convert(body: JsonObject, model: string): Converted | BodyRefusal;
};

export type Converted = WrittenRequest & {
  /** Undefined: the upstream's answer is not one of its format. */
  answer(given: Json, asked: ConversionAsked): JsonObject | undefined;
};

/** Joins the halves of two formats. */
export function joinHalves<Request, Answer>(
  client: ConversionClient<Request, Answer>,
  upstream: ConversionUpstream<Request, Answer>,
): Conversion {
  return {
    convert(body, model) {
      const parsed = client.parse(body);
      if ("message" in parsed) return parsed;
      const { request } = parsed;
      const written = upstream.write(request, model);
      return {
        body: written.body,
        losses: [...parsed.losses, ...written.losses],
        answer(given, asked) {
          const answer = upstream.read(given, request);
          return answer === undefined ? undefined : client.write(answer, asked);
        },
      };
    },
  };
}
