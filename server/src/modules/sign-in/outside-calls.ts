/** Sends requests to the identity providers and to Cloudflare Turnstile for the bot check. */

import { ask } from "#network/ask.ts";
import type { Transport } from "#network/transport.ts";
import type { CallOutside, OutsideRequest } from "./sign-in.ts";

/** The timeouts of a request. They are short because a person waits for the answer. */
const limits = { connectMs: 5_000, firstByteMs: 5_000, betweenChunksMs: 5_000, totalMs: 10_000 };

/** The largest answer in bytes. User profiles and key sets take a few kilobytes. */
const answerBytesMax = 256 * 1024;

/**
 * Makes the function that sends requests to other servers during a sign-in.
 * @param transport connects only to addresses that the operator allows.
 */
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
