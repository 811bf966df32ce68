/** Which running calls are meant, of those that run on one node or that other nodes have told of. */

/** Every field that is there must match. */
export type RunningFilter = {
  /** Calls of users whose role is below this one are seen, and those of the user `ownId`. */
  readonly belowRole: number;
  readonly ownId: number;
  readonly requestIds?: readonly string[];
  readonly userId?: number;
  readonly tokenId?: number;
  readonly model?: string;
  readonly channelId?: number;
  /** Parts of names, in lower case. */
  readonly userLike?: string;
  readonly tokenLike?: string;
  readonly modelLike?: string;
  /** Only calls that have run for so many milliseconds. */
  readonly minMs?: number;
};

/** All calls of everybody. */
export const allRunning: RunningFilter = { belowRole: Number.MAX_SAFE_INTEGER, ownId: 0 };

/** What of a running call decides whether it is meant. */
type RunningFacts = {
  readonly id: string;
  readonly userId: number;
  /** The user's role. */
  readonly role: number;
  readonly username: string;
  readonly tokenId: number;
  readonly tokenName: string;
  readonly model: string;
  /** 0: none yet. */
  readonly channelId: number;
  readonly ageMs: number;
};

/** Whether a running call is meant. */
export function isMeant(filter: RunningFilter, call: RunningFacts): boolean {
  const { channelId, minMs, model, requestIds, tokenId, userId } = filter;
  if (call.userId !== filter.ownId && call.role >= filter.belowRole) return false;
  return (
    (requestIds === undefined || requestIds.includes(call.id)) &&
    (userId === undefined || userId === call.userId) &&
    (tokenId === undefined || tokenId === call.tokenId) &&
    (channelId === undefined || channelId === call.channelId) &&
    (minMs === undefined || call.ageMs >= minMs) &&
    (model === undefined || model === call.model) &&
    has(call.model, filter.modelLike) &&
    has(call.username, filter.userLike) &&
    has(call.tokenName, filter.tokenLike)
  );
}

function has(name: string, part: string | undefined): boolean {
  return part === undefined || name.toLowerCase().includes(part);
}
