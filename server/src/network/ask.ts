/**
 * Sends one small request to another server, with limits of time and size. Failures are returned,
 * not thrown.
 */

import { newCancellation } from "./cancellation.ts";
import type { Proxy } from "./proxy.ts";
import { parseTarget } from "./target.ts";
import type { TransportFaultCode } from "./answer.ts";
import type { TimeLimits, Transport } from "./transport-call.ts";

export type Question = {
  readonly method: "GET" | "POST";
  readonly url: string;
  /** The proxy to go through; absent: that of the process, if it has one. */
  readonly proxy?: Proxy | null;
  /**
   * Header names in lower case. `host`, `user-agent` and `accept-encoding` are added unless they
   * are given.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Null: no body. */
  readonly body: string | null;
  readonly limits: TimeLimits;
  /** The longest answer that is read; a longer one is a failure. */
  readonly answerBytesMax: number;
};

/** `address-malformed`: the URL is invalid or not HTTP, and nothing was sent. */
type Failure = { readonly ok: false; readonly reason: TransportFaultCode | "address-malformed" };

type Answer = Failure | { readonly ok: true; readonly status: number; readonly text: string };

type BytesAnswer =
  | Failure
  | { readonly ok: true; readonly status: number; readonly bytes: Uint8Array };

/**
 * Sends the request and reads the whole answer, whatever its status. Redirects are not followed.
 *
 * @param transport connects only to addresses that its policy allows.
 */
export async function ask(transport: Transport, question: Question): Promise<Answer> {
  const answer = await askBytes(transport, question);
  if (!answer.ok) return answer;
  return { ok: true, status: answer.status, text: new TextDecoder().decode(answer.bytes) };
}

/** The same, for answers that are decoded elsewhere. */
export async function askBytes(transport: Transport, question: Question): Promise<BytesAnswer> {
  const { method, url, headers, body, limits, answerBytesMax } = question;
  const target = parseTarget(url, question.proxy ?? null);
  if (target === null) return { ok: false, reason: "address-malformed" };
  const answer = await transport({
    method,
    target,
    headers: {
      host: target.host + target.port,
      // Some servers refuse requests without a `User-Agent`.
      "user-agent": "tollgate",
      // Asks for no compression, because unpacking costs time and nobody needs it here.
      "accept-encoding": "identity",
      ...headers,
    },
    body: body === null ? null : new TextEncoder().encode(body),
    isStream: false,
    limits,
    cancellation: newCancellation(),
  });
  if (answer.kind === "fault") return { ok: false, reason: answer.code };
  const bytes = await answer.readAll(answerBytesMax);
  if (!(bytes instanceof Uint8Array)) return { ok: false, reason: bytes.code };
  return { ok: true, status: answer.status, bytes };
}
