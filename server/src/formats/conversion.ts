/**
 * Translation of calls that have one small question and one whole answer: embeddings, rerank,
 * transcriptions, and speech, whose answer is passed on. A client's half parses its request and writes its answer, an upstream's half the other way round.
 */

import type { Json, JsonObject } from "#base/json.ts";
import type { BodyRefusal } from "./format.ts";
import type { WrittenRequest } from "./translation.ts";

export type ConversionClient<Request, Answer> = {
  parse(
    body: JsonObject,
  ): { readonly request: Request; readonly losses: readonly string[] } | BodyRefusal;
  /** Makes the answer; a text is sent as plain text. */
  write(answer: Answer, asked: ConvertedRequest): JsonObject | string;
};

export type ConversionUpstream<Request, Answer> = {
  write(request: Request, model: string): BodyRefusal | WrittenRequest;
  /** Undefined: the answer is not one of the format. */
  read(answer: Json, request: Request): Answer | undefined;
  /** Whether the request's file is sent as the body itself, and not in a form. */
  readonly sendsFileAlone?: true;
};

/** What the writer of an answer knows of the request. */
type ConvertedRequest = {
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
  answer(given: Json, asked: ConvertedRequest): JsonObject | string | undefined;
  readonly sendsFileAlone: boolean;
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
      if ("message" in written) return written;
      return {
        body: written.body,
        losses: [...parsed.losses, ...written.losses],
        sendsFileAlone: upstream.sendsFileAlone === true,
        answer(given, asked) {
          const answer = upstream.read(given, request);
          return answer === undefined ? undefined : client.write(answer, asked);
        },
      };
    },
  };
}
