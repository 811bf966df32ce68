/** Gives back what of a call's charge was wrong, at most once, in one transaction. */

import type { Db } from "#db/database.ts";
import { type Actor, appendAudit, parseState, readNoted } from "#modules/audit/audit.ts";
import { refundCharge } from "#modules/ledger/ledger.ts";
import { insertLog, type LogRow, markRefunded } from "#modules/logs/logs.ts";
import { reviveToken } from "#modules/tokens/tokens.ts";

type Mending = {
  readonly row: LogRow;
  /** Quota units to give back, from 1 to the charge. */
  readonly amount: number;
  readonly reason: string;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** @returns false: the charge was given back before. */
export async function mendCharge(tx: Db, mending: Mending): Promise<boolean> {
  const { row, amount, reason, actor, nowMs } = mending;
  const { request_id: requestId, user_id: userId, token_id: tokenId } = row;
  const refund = await refundCharge(tx, {
    requestId,
    userId,
    tokenId,
    tokenLimited: await goesToLimit(tx, tokenId, amount),
    modelName: row.model_name,
    group: row.group,
    detail: `更正扣费 ${requestId}`,
    wrong: amount,
    nowMs,
  });
  if (refund === undefined) return false;
  await markRefunded(tx, refund.logId, amount);
  const content = `更正扣费 ${requestId}，退回额度 ${amount}`;
  await insertLog(tx, { type: 4, userId, channelId: row.channel, content, quota: amount, nowMs });
  if (refund.tokenLimited) await reviveToken(tx, tokenId);
  await appendAudit(tx, {
    actor,
    action: "charge.mend",
    target: `user:${userId}`,
    detail: { request_id: requestId, amount, reason },
    nowMs,
  });
  return true;
}

/**
 * Whether a token may spend the refund again. Its row does not say whether the token had a limit
 * when the call was charged: the present setting counts, unless more would remain than the token was
 * ever given.
 */
async function goesToLimit(tx: Db, tokenId: number, amount: number): Promise<boolean> {
  const token = await tx
    .selectFrom("tokens")
    .innerJoin("token_balances", "token_balances.token_id", "tokens.id")
    .select(["unlimited_quota", "remain"])
    .where("tokens.id", "=", tokenId)
    .executeTakeFirst();
  if (token === undefined || token.unlimited_quota === 1) return false;
  const noted = parseState((await readNoted(tx, "token", [tokenId])).get(tokenId) ?? "{}");
  return noted["was_both"] !== 1 || token.remain + amount <= Number(noted["given"] ?? 0);
}
