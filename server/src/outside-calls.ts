/** Requests to servers that root's settings and this program name, for signing in. */

import type { CallOutside, OutsideRequest } from "#modules/sign-in/methods/outside.ts";
import { newCancellation } from "#network/cancellation.ts";
import { parseTarget } from "#network/target.ts";
import type { Transport } from "#network/transport.ts";

/** Somebody waits in front of the screen. */
const limits = { connectMs: 5_000, firstByteMs: 5_000, betweenChunksMs: 5_000, totalMs: 10_000 };

/** Longest answer that is read; profiles and key sets have some kilobytes. */
const answerBytesMax = 256 * 1024;

/** @param transport one that connects to addresses the operator allows. */
export function openOutsideCalls(transport: Transport): CallOutside {
  return async (request) => {
    const target = parseTarget(request.url);
    if (target === null) return undefined;
    const body = bodyOf(request);
    const answer = await transport({
      method: body === null ? "GET" : "POST",
      target,
      headers: {
        host: target.host + target.port,
        // GitHub refuses whoever does not say who it is.
        "user-agent": "tollgate",
        accept: "application/json",
        "accept-encoding": "identity",
        ...(body === null ? {} : { "content-type": body.type }),
        ...request.headers,
      },
      body: body === null ? null : new TextEncoder().encode(body.text),
      isStream: false,
      limits,
      cancellation: newCancellation(),
    });
    if (answer.kind === "fault") return undefined;
    const read = await answer.readAll(answerBytesMax);
    if (!(read instanceof Uint8Array)) return undefined;
    return { status: answer.status, text: new TextDecoder().decode(read) };
  };
}

function bodyOf({ form, json }: OutsideRequest): { type: string; text: string } | null {
  if (form !== undefined) {
    const text = new URLSearchParams(form).toString();
    return { type: "application/x-www-form-urlencoded", text };
  }
  return json === undefined ? null : { type: "application/json", text: JSON.stringify(json) };
}
