/** The APIs by their routes. */

import type { AnswerPart } from "@tollgate/demo/answer.ts";
import type { Json } from "@tollgate/demo/json.ts";
import type { Route } from "@tollgate/demo/routes.ts";
import type { Api } from "./api.ts";
import { chat } from "./chat-parts.ts";
import { cohereV1 } from "./cohere-v1-parts.ts";
import { cohereV2 } from "./cohere-v2-parts.ts";
import { completions } from "./completion-parts.ts";
import { converse } from "./converse-parts.ts";
import { dashscope } from "./dashscope-parts.ts";
import { embeddings } from "./embedding-parts.ts";
import type { ErrorBody } from "./errors.ts";
import { gemini } from "./gemini-parts.ts";
import { invokeClaude, invokeNova } from "./invoke-parts.ts";
import { messages } from "./messages-parts.ts";
import { ollama } from "./ollama-parts.ts";
import { responses } from "./responses-parts.ts";
import { providers } from "@tollgate/demo/providers/providers.ts";

export const apis: Readonly<Record<Route, Api>> = {
  chat,
  "cohere-v1": cohereV1,
  "cohere-v2": cohereV2,
  completions,
  converse,
  dashscope,
  embeddings,
  gemini,
  "invoke-claude": invokeClaude,
  "invoke-nova": invokeNova,
  messages,
  ollama,
  responses,
  ...providers,
};

/** Returns the HTTP status with which the route's API refuses a call for which `status` is the word. */
export function httpStatus(route: Route, status: number): number {
  return status < 400 ? status : (apis[route].refusalStatus ?? status);
}

/** Returns the JSON body of an error with the status, in the shape of the route's API. */
export function errorBodyText(route: Route, status: number, error: ErrorBody): string {
  return JSON.stringify(apis[route].errorBody(status, error));
}

/** Returns the event by which a stream of the route reports an error. */
export function errorEventPart(route: Route, error: Json): AnswerPart {
  const { errorBlock, errorEvent } = apis[route];
  const { body, ...named } = errorEvent(error);
  const text = errorBlock?.(error) ?? JSON.stringify(body);
  return { kind: "finish", text, pieces: 0, ...named };
}
