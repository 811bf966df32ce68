/** Requests to addresses that users name: few bytes, short waits. */

import type { Outbound } from "./notifications.ts";
import { ask } from "#network/ask.ts";
import type { Transport } from "#network/transport.ts";

const limits = { connectMs: 5_000, firstByteMs: 10_000, betweenChunksMs: 10_000, totalMs: 20_000 };

/** What a receiver answers is read no further. */
const answerBytesMax = 64 * 1024;

/** A program of the operator's that makes requests in place of this server, and hands on answers. */
export type Worker = {
  /** Empty: there is none. */
  readonly url: string;
  /** By which it knows us. */
  readonly key: string;
};

export type DetourDeps = {
  readonly direct: Outbound;
  /** Reaches what the operator names. */
  readonly toWorker: Outbound;
  /** As it is set now. */
  readonly worker: () => Worker;
};

/** Lets the worker make requests where there is one, so that receivers do not see our address. */
export function openDetour({ direct, toWorker, worker }: DetourDeps): Outbound {
  return async (request) => {
    const { url, key } = worker();
    if (url === "") return await direct(request);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ key, ...request });
    return await toWorker({ method: "POST", url, headers, body });
  };
}

/** @param transport decides which addresses are connected to. Redirects are not followed. */
export function openOutbound(transport: Transport): Outbound {
  return async ({ method, url, headers, body }) => {
    const answer = await ask(transport, {
      method,
      url,
      headers,
      body: body === "" ? null : body,
      limits,
      answerBytesMax,
    });
    if (!answer.ok) return answer;
    const { status, text } = answer;
    if (status < 200 || status >= 300) return { ok: false, reason: `http-${status}` };
    return { ok: true, text };
  };
}
