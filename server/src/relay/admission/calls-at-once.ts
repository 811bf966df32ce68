/**
 * Limits how many calls a user or a token may have in progress at the same time. Each node of the
 * gateway counts its own calls, and allows its part of the limit, unless something counts for all
 * nodes (`deps.places`). A call counts from its authentication to its end, even while no limit is
 * set, so that a limit set later applies to calls already running.
 */

import { tooManyAtOnceByToken, tooManyAtOnceByUser } from "#relay/call/refusals.ts";
import type { RelayOptions } from "#ports/snapshot.ts";
import type { Credential } from "#relay/call/facts.ts";
import type { RelayDeps } from "#relay/deps.ts";

/**
 * Number of running calls by the id of their user or token. An id whose calls have ended stays with
 * 0, so that its next call needs no new entry.
 */
type Running = Map<number, number>;

export type CallsAtOnce = {
  readonly byUser: Running;
  readonly byToken: Running;
  /** Returns this node's part of a limit. */
  readonly share: RelayDeps["nodeShare"];
  readonly places: RelayDeps["places"];
};

/** When more ids than this are kept, those without a running call are removed. */
export const idsKeptMax = 10_000;

export function openCallsAtOnce({
  nodeShare,
  places,
}: Pick<RelayDeps, "nodeShare" | "places">): CallsAtOnce {
  return { byUser: new Map(), byToken: new Map(), share: nodeShare, places };
}

type Limits = RelayOptions["callsAtOnce"];

/**
 * Counts a call as running. The caller must call `leave` when it ends, in whatever way.
 *
 * @returns null, or a promise where all nodes count together: the call may not begin before.
 * @throws CallRefusal 429, also as a rejection; the call is not counted then.
 */
export function enter(
  atOnce: CallsAtOnce,
  credential: Credential,
  limits: Limits,
): Promise<void> | null {
  const { byUser, byToken, share, places } = atOnce;
  const { user, token } = credential;
  const { perUser, perToken } = limits;
  const asks = places !== null && (perUser > 0 || perToken > 0) && places.isUp();
  const ofUser = byUser.get(user.id) ?? 0;
  const userMost = asks ? perUser : share(perUser);
  if (perUser > 0 && ofUser >= userMost) throw tooManyAtOnceByUser(perUser);
  // Playground calls have no token; their token id is 0.
  const ofToken = token.id > 0 ? (byToken.get(token.id) ?? 0) : 0;
  const tokenMost = asks ? perToken : share(perToken);
  if (perToken > 0 && ofToken >= tokenMost) throw tooManyAtOnceByToken(perToken);
  add(byUser, user.id, ofUser);
  if (token.id > 0) add(byToken, token.id, ofToken);
  return asks ? takePlaces(atOnce, places, credential, limits) : null;
}

/** Asks for the places of a call that this node has counted. */
async function takePlaces(
  atOnce: CallsAtOnce,
  places: NonNullable<RelayDeps["places"]>,
  credential: Credential,
  { perUser, perToken }: Limits,
): Promise<void> {
  const { byUser, byToken, share } = atOnce;
  const { user, token } = credential;
  const asked = [
    { name: userName(user.id), own: byUser.get(user.id) ?? 1, max: perUser },
    { name: tokenName(token.id), own: byToken.get(token.id) ?? 0, max: perToken },
  ].filter(({ own, max }) => own > 0 && max > 0);
  if (asked.length === 0) return;
  const verdict = await places.take(asked);
  let refused = verdict?.refused ?? null;
  if (refused === null && verdict?.isWhole !== true) {
    // It is not known what the other nodes have, so this one keeps to its part.
    const over = asked.findIndex(({ own, max }) => own > share(max));
    refused = over < 0 ? null : over;
  }
  if (refused === null) return;
  leave(atOnce, credential);
  throw asked[refused]?.name === userName(user.id)
    ? tooManyAtOnceByUser(perUser)
    : tooManyAtOnceByToken(perToken);
}

const userName = (id: number): string => `user:${id}`;
const tokenName = (id: number): string => `token:${id}`;

/** Ends the counting of a call that `enter` has counted. */
export function leave({ byUser, byToken, places }: CallsAtOnce, { user, token }: Credential): void {
  const ofUser = (byUser.get(user.id) ?? 1) - 1;
  byUser.set(user.id, ofUser);
  const ofToken = token.id > 0 ? (byToken.get(token.id) ?? 1) - 1 : 0;
  if (token.id > 0) byToken.set(token.id, ofToken);
  if (places === null) return;
  places.tell(userName(user.id), ofUser);
  if (token.id > 0) places.tell(tokenName(token.id), ofToken);
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
