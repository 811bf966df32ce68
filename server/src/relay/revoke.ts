/**
 * Ends the running streams of users and tokens that may not call any more. The output so far is
 * billed. A call that is not streamed continues, because its answer cannot be cut.
 */

import { unixSeconds } from "#base/clock.ts";
import { cancel } from "#network/cancellation.ts";
import { endings, type Stop } from "./answers/endings.ts";
import type { RelayState } from "./call.ts";
import type { RelayDeps } from "./deps.ts";
import type { Credential } from "./stages/authenticate.ts";

/** Call it when users or tokens in the snapshot have changed. */
export function callersChanged(state: RelayState): void {
  state.callerChanges += 1;
  endRevoked(state);
}

/** Checks the running calls, if users or tokens have changed since. */
export function endRevoked(state: RelayState): void {
  for (const call of state.calls) {
    if (!call.isStream || call.clientGone || call.stop !== null) continue;
    call.stop = revocationOf(state.deps, call.credential);
    if (call.stop !== null) cancel(call.attempt);
  }
}

/**
 * Why the calls of this credential end; null: they continue. If a token is exhausted or expires by
 * itself, its running calls continue; if its expiry was changed into the past, they end.
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

/** Status of a token that was disabled by hand. */
const disabled = 2;
