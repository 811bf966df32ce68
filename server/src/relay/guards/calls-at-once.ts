/**
 * Counts the calls that run at once, by user and by token, and refuses one too many. Each node
 * counts its own. A call is counted from its authentication to its end, and always, so that a limit
 * that is set while calls run holds at once.
 */

import { tooManyAtOnceByToken, tooManyAtOnceByUser } from "#relay/answers/refusals.ts";
import type { RelayOptions } from "#relay/snapshot.ts";
import type { Credential } from "#relay/stages/authenticate.ts";

/** Running calls by the id of their user or token. A count of 0 stays, to be used again. */
type Running = Map<number, number>;

export type CallsAtOnce = { readonly byUser: Running; readonly byToken: Running };

/** Beyond this many ids, those without a running call are forgotten. */
export const idsKeptMax = 10_000;

export function openCallsAtOnce(): CallsAtOnce {
  return { byUser: new Map(), byToken: new Map() };
}

/**
 * Counts a call. `leave` must follow, however the call ends.
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
  // The playground calls without a token.
  const ofToken = token.id > 0 ? (byToken.get(token.id) ?? 0) : 0;
  if (perToken > 0 && ofToken >= perToken) throw tooManyAtOnceByToken(perToken);
  add(byUser, user.id, ofUser);
  if (token.id > 0) add(byToken, token.id, ofToken);
}

/** Uncounts a call that `enter` has counted. */
export function leave({ byUser, byToken }: CallsAtOnce, { user, token }: Credential): void {
  byUser.set(user.id, (byUser.get(user.id) ?? 1) - 1);
  if (token.id > 0) byToken.set(token.id, (byToken.get(token.id) ?? 1) - 1);
}

function add(running: Running, id: number, count: number): void {
  running.set(id, count + 1);
  if (running.size > idsKeptMax && count === 0) forgetIdle(running);
}

/** Ids with running calls stay; there are at most as many as there are open connections. */
function forgetIdle(running: Running): void {
  for (const [id, count] of running) if (count === 0) running.delete(id);
}
