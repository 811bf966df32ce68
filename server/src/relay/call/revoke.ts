/**
 * Ends the running streams of users and tokens that may not call any more. The output so far is
 * billed. A call that is not streamed continues, because its answer could not be sent in part.
 */

import { unixSeconds } from "#base/clock.ts";
import { cancel } from "#network/cancellation.ts";
import { endings, type Stop } from "./endings.ts";
import type { RelayState } from "./relay-state.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { Credential } from "./facts.ts";

/**
 * Notes that users or tokens in the snapshot have changed, and ends the streams of those that may
 * not call any more.
 */
export function callersChanged(state: RelayState): void {
  state.callerChanges += 1;
  endRevoked(state);
}

/** Ends the running streams whose user or token may not call any more. */
export function endRevoked(state: RelayState): void {
  for (const session of state.sessions) {
    const stop = revocationOf(state.deps, session.credential);
    if (stop !== null) session.stop(stop);
  }
  for (const call of state.calls) {
    if (!call.isStream || call.clientGone || call.stop !== null) continue;
    call.stop = revocationOf(state.deps, call.credential);
    if (call.stop !== null) cancel(call.attempt);
  }
}

/**
 * Says why this credential's streams must end; null: they continue. They also continue if the token
 * is exhausted, and if the token or a replaced key ends at its set time. They end if that time is
 * changed to one in the past.
 */
function revocationOf(
  { now, snapshot }: Pick<RelayDeps, "now" | "snapshot">,
  { token, user }: Credential,
): Stop | null {
  if (snapshot.findUser(user.id)?.status !== 1) return endings.userRevoked;
  // The playground's calls have no token.
  if (token.id === 0) return null;
  const present = snapshot.findToken(token.lookup);
  // It is not in memory, so it is not among the tokens that have changed.
  if (present === null) return null;
  if (present === undefined || present.status === disabled) return endings.tokenRevoked;
  const { expiredTime, keyEndsAt } = present;
  const nowSeconds = unixSeconds(now());
  const isCutShort =
    (expiredTime !== token.expiredTime && expiredTime !== -1 && expiredTime <= nowSeconds) ||
    (keyEndsAt !== token.keyEndsAt && keyEndsAt !== 0 && keyEndsAt <= nowSeconds);
  return isCutShort ? endings.tokenRevoked : null;
}

/** Status of a token that was disabled by hand. */
const disabled = 2;
