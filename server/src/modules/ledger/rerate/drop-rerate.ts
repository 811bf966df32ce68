/**
 * Takes back what re-rates have added to a call's charge, because the charge itself is given back:
 * so that what is given back is what the settlement took.
 */

import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import type { Accounts } from "#modules/ledger/accounts.ts";
import { rerateCauseOf } from "#modules/ledger/applied.ts";
import type { ChainedEntry } from "#modules/ledger/entries.ts";
import { addToCharges } from "#modules/ledger/sums.ts";
import { noteRerated } from "#modules/logs/logs.ts";

/** A charge that is given back although it was charged again. */
export type DroppedRerate = {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
  readonly modelName: string;
  readonly group: string;
  readonly logId: number;
  /** When the charge was made, in Unix seconds. */
  readonly createdAt: number;
  readonly isCosted: boolean;
  /** What re-rates have added to it. */
  readonly rerated: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Names in a cause what no re-rate of its own takes back. */
export const noRerate = 0;

/**
 * Takes back in memory what re-rates have added. The charge must have been given back there before,
 * so that the balance has enough.
 *
 * @returns the entry of it.
 */
export function dropRerate(accounts: Accounts, dropped: DroppedRerate): ChainedEntry {
  const { requestId, userId, tokenId, channelId, logId, rerated, nowMs } = dropped;
  const user = accounts.users.get(userId)?.now;
  if (user === undefined) throw new Error(`user ${userId} has no balance`);
  user.balance += rerated;
  user.used -= rerated;
  const token = accounts.tokens.get(tokenId)?.now;
  if (token !== undefined) {
    token.used -= rerated;
    token.granted -= rerated;
  }
  return {
    cause: rerateCauseOf(noRerate, requestId),
    kind: "rerate",
    user_id: userId,
    token_id: tokenId,
    channel_id: channelId,
    amount: rerated,
    log_id: logId,
    detail: "重新计费已随退款撤回",
    created_at: unixSeconds(nowMs),
  };
}

/** Writes sums and log rows of what was taken back. */
export async function noteDropped(tx: Db, all: readonly DroppedRerate[]): Promise<void> {
  for (const dropped of all) {
    await addToCharges(tx, [{ ...dropped, amount: 0 - dropped.rerated }], dropped.nowMs);
    await noteRerated(tx, [{ logId: dropped.logId, amount: 0 - dropped.rerated }]);
  }
}
