/** Answers to requests about tasks, in the form of the platform's clients. */

import type { ClientResponse } from "#http/client-request.ts";
import type { DeskCall } from "#ports/task-desk.ts";
import type { Platform } from "#platforms/platform.ts";

const jsonHeaders = {
  "access-control-allow-origin": "*",
  "cache-control": "no-store",
  "content-type": "application/json",
};

export function json(status: number, body: object): ClientResponse {
  return { status, headers: jsonHeaders, body: JSON.stringify(body) };
}

type RefusedRequest = { readonly platform: Platform; readonly call: Pick<DeskCall, "say"> };

/** Refuses a request. A sentence is said in the client's language, a code as it is. */
export function refuse(
  { platform, call }: RefusedRequest,
  status: number,
  message: string,
  upstreamCode = 0,
): ClientResponse {
  const isCode = /^\w+$/.test(message);
  const code = isCode ? message : status >= 500 ? "upstream_error" : "invalid_request";
  const error = { status, code, message: call.say(message), upstreamCode };
  const { status: said, body } = platform.errorBody(error);
  return json(said, body);
}
