/** Requests to addresses that users name: few bytes, short waits, public addresses only. */

import type { Outbound } from "#modules/notifications/notifications.ts";
import { newCancellation } from "#relay/cancellation.ts";
import { parseTarget } from "#relay/translate.ts";
import type { Transport } from "#relay/transport.ts";

const limits = { connectMs: 5_000, firstByteMs: 10_000, betweenChunksMs: 10_000, totalMs: 20_000 };

/** What a receiver answers is read no further; only its status counts. */
const answerBytesMax = 64 * 1024;

/** @param transport one that connects to public addresses only. Redirects are not followed. */
export function openOutbound(transport: Transport): Outbound {
  return async ({ method, url, headers, body }) => {
    const target = parseTarget(url);
    if (target === null) return { ok: false, reason: "address-malformed" };
    const answer = await transport({
      method,
      target,
      headers: {
        host: target.host + target.port,
        "user-agent": "tollgate",
        "accept-encoding": "identity",
        ...headers,
      },
      body: body === "" ? null : new TextEncoder().encode(body),
      isStream: false,
      limits,
      cancellation: newCancellation(),
    });
    if (answer.kind === "fault") return { ok: false, reason: answer.code };
    const read = await answer.readAll(answerBytesMax);
    if (!(read instanceof Uint8Array)) return { ok: false, reason: read.code };
    const { status } = answer;
    return status >= 200 && status < 300 ? { ok: true } : { ok: false, reason: `http-${status}` };
  };
}
