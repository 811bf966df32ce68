/**
 * Limits how many calls a user or a token may have in progress at the same time. Each node of the
 * gateway counts only its own calls. A call counts from its authentication to its end, even while
 * no limit is set, so that a limit set later applies to calls already running.
 */

import { tooManyAtOnceByToken, tooManyAtOnceByUser } from "#relay/call/refusals.ts";
import type { RelayOptions } from "#ports/snapshot.ts";
import type { Credential } from "#relay/call/facts.ts";

/**
 * Number of running calls by the id of their user or token. An id whose calls have ended stays with
 * 0, so that its next call needs no new entry.
 */
type Running = Map<number, number>;

export type CallsAtOnce = { readonly byUser: Running; readonly byToken: Running };

/** When more ids than this are kept, those without a running call are removed. */
export const idsKeptMax = 10_000;

export function openCallsAtOnce(): CallsAtOnce {
  return { byUser: new Map(), byToken: new Map() };
}

/**
 * Counts a call as running. The caller must call `leave` when it ends, in whatever way.
 *
 * @throws CallRefusal 429; the call is not counted then.
 */
export function enter(
  { byUser, byToken }: CallsAtOnce,
  { user, token }: Credential,
  { perUser, perToken }: RelayOptions["callsAtOnce"],
): void {
  const ofUser = byUser.get(user.id) ?? 0;
  if (perUser > 0 && ofUser >= perUser) throw tooManyAtOnceByUser(perUser);
  // Playground calls have no token; their token id is 0.
  const ofToken = token.id > 0 ? (byToken.get(token.id) ?? 0) : 0;
  if (perToken > 0 && ofToken >= perToken) throw tooManyAtOnceByToken(perToken);
  add(byUser, user.id, ofUser);
  if (token.id > 0) add(byToken, token.id, ofToken);
}

/** Ends the counting of a call that `enter` has counted. */
export function leave({ byUser, byToken }: CallsAtOnce, { user, token }: Credential): void {
  byUser.set(user.id, (byUser.get(user.id) ?? 1) - 1);
  if (token.id > 0) byToken.set(token.id, (byToken.get(token.id) ?? 1) - 1);
}

function add(running: Running, id: number, count: number): void {
  running.set(id, count + 1);
  if (running.size > idsKeptMax && count === 0) forgetIdle(running);
}

/**
 * Removes ids without running calls. The ids that stay are at most as many as there are open
 * connections.
 */
function forgetIdle(running: Running): void {
  for (const [id, count] of running) if (count === 0) running.delete(id);
}
