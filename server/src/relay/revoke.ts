/**
 * Ends the running streams of users and tokens that may not call any more. What came until then is
 * billed. A call that is not streamed goes on: its answer cannot be cut.
 */

import { unixSeconds } from "#base/clock.ts";
import { cancel } from "#network/cancellation.ts";
import { endings, type Stop } from "./answers/endings.ts";
import type { RelayState } from "./call.ts";
import type { RelayDeps } from "./deps.ts";
import type { Credential } from "./stages/authenticate.ts";

/** To be called when the snapshot has other users or tokens than before. */
export function callersChanged(state: RelayState): void {
  state.callerChanges += 1;
  endRevoked(state);
}

/** Looks through the calls that run; only when users or tokens have changed. */
export function endRevoked(state: RelayState): void {
  for (const call of state.calls) {
    if (!call.isStream || call.clientGone || call.stop !== null) continue;
    call.stop = revocationOf(state.deps, call.credential);
    if (call.stop !== null) cancel(call.attempt);
  }
}

/**
 * Why calls of this credential end; null: they go on. A token whose quota is spent or whose time
 * has come lets its running calls end by themselves; a time that was changed meanwhile does not.
 */
function revocationOf(
  { now, snapshot }: Pick<RelayDeps, "now" | "snapshot">,
  { token, user }: Credential,
): Stop | null {
  if (snapshot.findUser(user.id)?.status !== 1) return endings.userRevoked;
  // The playground's calls have no token.
  if (token.id === 0) return null;
  const present = snapshot.findTokenById(token.id);
  if (present === undefined || present.status === disabled) return endings.tokenRevoked;
  const { expiredTime } = present;
  const isCutShort =
    expiredTime !== token.expiredTime && expiredTime !== -1 && expiredTime <= unixSeconds(now());
  return isCutShort ? endings.tokenRevoked : null;
}

/** Of a token; by hand. */
const disabled = 2;
