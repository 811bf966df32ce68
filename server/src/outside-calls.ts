/** Requests to servers that root's settings and this program name, for signing in. */

import type { CallOutside, OutsideRequest } from "#modules/sign-in/methods/outside.ts";
import { ask } from "#network/ask.ts";
import type { Transport } from "#network/transport.ts";

/** Somebody waits in front of the screen. */
const limits = { connectMs: 5_000, firstByteMs: 5_000, betweenChunksMs: 5_000, totalMs: 10_000 };

/** Longest answer that is read; profiles and key sets have some kilobytes. */
const answerBytesMax = 256 * 1024;

/** @param transport one that connects to addresses the operator allows. */
export function openOutsideCalls(transport: Transport): CallOutside {
  return async (request) => {
    const body = bodyOf(request);
    const answer = await ask(transport, {
      method: body === null ? "GET" : "POST",
      url: request.url,
      headers: {
        accept: "application/json",
        ...(body === null ? {} : { "content-type": body.type }),
        ...request.headers,
      },
      body: body === null ? null : body.text,
      limits,
      answerBytesMax,
    });
    return answer.ok ? { status: answer.status, text: answer.text } : undefined;
  };
}

function bodyOf({ form, json }: OutsideRequest): { type: string; text: string } | null {
  if (form !== undefined) {
    const text = new URLSearchParams(form).toString();
    return { type: "application/x-www-form-urlencoded", text };
  }
  return json === undefined ? null : { type: "application/json", text: JSON.stringify(json) };
}
