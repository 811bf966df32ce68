/**
 * Sends requests to addresses that users enter, with short timeouts and a small limit on the
 * answer.
 */

import type { Outbound } from "./notifications.ts";
import { ask } from "#network/ask.ts";
import type { Transport } from "#network/transport.ts";

const limits = { connectMs: 5_000, firstByteMs: 10_000, betweenChunksMs: 10_000, totalMs: 20_000 };

/** The largest answer; a larger one counts as a failure. */
const answerBytesMax = 64 * 1024;

/**
 * An HTTP forwarder of the operator, which makes requests in place of this server and returns the
 * answers.
 */
type Forwarder = {
  /** Address of the forwarder; empty: there is none. */
  readonly url: string;
  /** The secret by which the forwarder recognises this server. */
  readonly key: string;
};

type ForwarderDeps = {
  readonly direct: Outbound;
  /** Sends requests to the forwarder, whose address may be any that the operator allows. */
  readonly toForwarder: Outbound;
  /** The forwarder in the present options. */
  readonly forwarder: () => Forwarder;
};

/**
 * Sends requests through the forwarder if there is one, so that receivers do not see this server's
 * IP address.
 */
export function openForwarder({ direct, toForwarder, forwarder }: ForwarderDeps): Outbound {
  return async (request) => {
    const { url, key } = forwarder();
    if (url === "") return await direct(request);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ key, ...request });
    return await toForwarder({ method: "POST", url, headers, body });
  };
}

/**
 * Sends requests directly. Redirects are not followed.
 * @param transport decides which addresses may be connected to.
 */
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
