/**
 * When a request is sent again: over a new connection, or to the next address of its host.
 * docs/decisions/2026-11-23-sending-a-call-again.md has the reasons.
 */

import type { AddressBook } from "./address-book.ts";
import type { FailedEnd } from "./answer.ts";
import type { ExchangeEnd } from "./connection.ts";
import type { Exchange, HttpPool } from "./pool.ts";
import type { Target } from "./target.ts";
import type { Ticker } from "./ticker.ts";
import type { TimeLimits } from "./transport-call.ts";

/**
 * How soon after a request a kept connection must have closed for the request to be sent again. A
 * server that closes an idle connection as the request goes out has not read it. One that closes
 * later may have read it, and a call that is answered twice is paid for twice.
 */
const resendMsMax = 100;

/**
 * How many addresses of a host one call may try. They share its time limit for connecting, so that
 * a dead address leaves time for the next.
 */
export const addressesTriedMax = 4;

type Repeatable = Exchange & {
  readonly state: {
    readonly addresses: AddressBook;
    readonly pool: HttpPool;
    readonly ticker: Ticker;
  };
  readonly target: Target;
  readonly limits: TimeLimits;
  readonly totalDueMs: number;
  /** Addresses to which no connection could be made; null: none. */
  failedAt: string[] | null;
  /** Why no connection could be made to the first of them; null: none failed. */
  failedBy: FailedEnd | null;
  /** How many more addresses of the host may be tried, counting the one that is tried now. */
  addressesLeft: number;
};

/** Whether a call on a kept connection ended so that the server cannot have read it. */
export function isUnread({ limits, state, totalDueMs }: Repeatable, end: ExchangeEnd): boolean {
  if (end !== "silent") return end === "unsent";
  // A kept connection is used at once, so the call went out when its limits began.
  const sentAtMs = totalDueMs - limits.totalMs;
  return state.ticker.nowMs() - sentAtMs <= resendMsMax;
}

/** The ends without a connection, after which another address of the host is tried. */
export const unconnected: ReadonlySet<ExchangeEnd> = new Set<ExchangeEnd>([
  "certificate-expired",
  "certificate-invalid",
  "certificate-name",
  "certificate-untrusted",
  "connect-timeout",
  "refused",
  "tls-failed",
  "tls-timeout",
  "unreachable",
]);

/**
 * Sends the call to the next address of its host, if there is one and time is left. Nothing has
 * been sent to the present one, because no connection was made.
 */
export function triesNext(sending: Repeatable, end: FailedEnd): boolean {
  const { endpoint, limits, state, target, totalDueMs } = sending;
  const { addresses, ticker } = state;
  addresses.avoid(target.host, endpoint.address);
  sending.failedBy ??= end;
  sending.addressesLeft -= 1;
  const leftMs = totalDueMs - limits.totalMs + limits.connectMs - ticker.nowMs();
  if (sending.addressesLeft <= 0 || leftMs <= 0) return false;
  const failedAt = (sending.failedAt ??= []);
  failedAt.push(endpoint.address);
  const next = addresses.after(target.host, failedAt);
  if (next === null) return false;
  sending.connection = null;
  sending.connectMs = leftMs / sending.addressesLeft;
  sending.endpoint = { ...endpoint, address: next };
  state.pool.run(sending, false);
  return true;
}
