/**
 * Rebates: an inviter's share of the top-ups that invitees pay for. They are earnings like the rewards
 * for invitations. Agents get dividends in their place.
 */

import { userStatus } from "@tollgate/contract/endpoints/users.ts";
import type { Db } from "#db/database.ts";
import { isAgent, shareOf } from "#modules/agents/agents.ts";
import { lockEarnings, postEarning } from "#modules/ledger/ledger.ts";
import { insertLog } from "#modules/logs/logs.ts";

/** What a rebate needs to know of a paid order. */
type PaidOrder = { readonly number: string; readonly user_id: number; readonly quota: number };

const account = "invitations";

function rebateCause(number: string): string {
  return `rebate:${number}`;
}

/** Credits the inviter of an order's user, in the transaction that credits the order. */
export async function creditRebate(
  tx: Db,
  { number, user_id, quota }: PaidOrder,
  { rebateBp, nowMs }: { readonly rebateBp: number; readonly nowMs: number },
): Promise<void> {
  const amount = shareOf(quota, rebateBp);
  if (amount === 0) return;
  const inviter = await tx
    .selectFrom("users")
    .innerJoin("users as inviter", "inviter.id", "users.inviter_id")
    .select("inviter.id")
    .where("users.id", "=", user_id)
    .where("inviter.status", "=", userStatus.enum.enabled)
    .where("inviter.DeletedAt", "is", null)
    .executeTakeFirst();
  if (inviter === undefined || (await isAgent(tx, inviter.id))) return;
  await postEarning(tx, {
    account,
    cause: rebateCause(number),
    kind: "rebate",
    userId: inviter.id,
    amount,
    detail: String(rebateBp),
    nowMs,
  });
  const content = `邀请用户充值返利 ${amount}`;
  await insertLog(tx, { type: 4, userId: inviter.id, content, nowMs });
}

/**
 * Takes back the share of a rebate that belongs to a refund, which is stored already; at most what the
 * inviter still has.
 */
export async function takeRebateBack(
  tx: Db,
  order: PaidOrder & { readonly id: number },
  refund: { readonly id: number; readonly quota: number },
  nowMs: number,
): Promise<void> {
  const given = await findEntry(tx, rebateCause(order.number));
  if (given === undefined || order.quota === 0) return;
  const { total } = await tx
    .selectFrom("order_refunds")
    .select((eb) => eb.fn.sum<number>("quota").as("total"))
    .where("order_id", "=", order.id)
    .where("state", "<>", "refused")
    .executeTakeFirstOrThrow();
  const shareUpTo = (quota: number) =>
    Number((BigInt(given.amount) * BigInt(quota)) / BigInt(order.quota));
  const share = shareUpTo(Number(total)) - shareUpTo(Number(total) - refund.quota);
  const { balance } = await lockEarnings(tx, given.user_id, account);
  const amount = Math.min(share, balance);
  if (amount <= 0) return;
  await postEarning(tx, {
    account,
    cause: `rebate_back:${refund.id}`,
    kind: "rebate_back",
    userId: given.user_id,
    amount: -amount,
    detail: order.number,
    nowMs,
  });
}

/** Gives back what a refund took of a rebate, because the processor refused the refund. */
export async function restoreRebate(tx: Db, refundId: number, nowMs: number): Promise<void> {
  const taken = await findEntry(tx, `rebate_back:${refundId}`);
  if (taken === undefined) return;
  await postEarning(tx, {
    account,
    cause: `rebate_restored:${refundId}`,
    kind: "rebate_restored",
    userId: taken.user_id,
    amount: 0 - taken.amount,
    detail: taken.detail,
    nowMs,
  });
}

async function findEntry(tx: Db, cause: string) {
  return await tx
    .selectFrom("earning_entries")
    .select(["amount", "user_id", "detail"])
    .where("cause", "=", cause)
    .executeTakeFirst();
}
