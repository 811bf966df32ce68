/**
 * Invitations: how they reward the inviter and the invitee, and how an inviter's earnings are moved
 * to the inviter's balance.
 */

import { userStatus } from "@tollgate/contract/users.ts";
import { sql } from "kysely";
import type { Random } from "#base/random.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { postEntry } from "#modules/ledger/ledger.ts";
import { insertLog } from "#modules/logs/logs.ts";

/** Length of an invite code in characters. */
const affCodeLength = 4;

/**
 * How many random invite codes are tried for a new user. If all of them are taken, most codes of
 * this length are in use.
 */
const affCodesTried = 8;

/** Makes random invite codes for a new user, who gets the first one that is not taken. */
export function newAffCodes(random: Random): string[] {
  return Array.from({ length: affCodesTried }, () => random.text(affCodeLength));
}

type Invitation = {
  /** The user whose invite code was used. */
  readonly inviterId: number;
  /** The new user who was invited. The user's balance must already exist in the ledger. */
  readonly inviteeId: number;
  /** Options `QuotaForInviter` and `QuotaForInvitee`, in quota units. */
  readonly quotaForInviter: number;
  readonly quotaForInvitee: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Finds the id of the enabled user with this invite code; undefined if there is none. */
export async function findInviter(db: Db, affCode: string): Promise<number | undefined> {
  if (affCode === "") return undefined;
  const row = await db
    .selectFrom("users")
    .select("id")
    .where("aff_code", "=", affCode)
    .where("status", "=", userStatus.enum.enabled)
    .where("DeletedAt", "is", null)
    .executeTakeFirst();
  return row?.id;
}

/**
 * Counts an invitation and rewards both users, in the transaction that creates the invitee. The
 * rewards are added to the inviter's earnings and to the invitee's balance. The caller must include
 * the invitee's reward in the balance that it passes to `Money.openedUser`.
 */
export async function rewardInvitation(tx: Db, invitation: Invitation): Promise<void> {
  const { inviterId, inviteeId, quotaForInviter, quotaForInvitee, nowMs } = invitation;
  if (quotaForInvitee > 0) {
    const content = `使用邀请码赠送 ${quotaForInvitee}`;
    await postEntry(tx, {
      cause: `invite:${inviteeId}`,
      kind: "invite",
      userId: inviteeId,
      amount: quotaForInvitee,
      detail: content,
      nowMs,
    });
    await insertLog(tx, { type: 4, userId: inviteeId, content, nowMs });
  }
  await tx
    .insertInto("affiliates")
    .values({
      user_id: inviterId,
      aff_count: 1,
      aff_quota: quotaForInviter,
      aff_history_quota: quotaForInviter,
    })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet({
        aff_count: sql<number>`affiliates.aff_count + excluded.aff_count`,
        aff_quota: sql<number>`affiliates.aff_quota + excluded.aff_quota`,
        aff_history_quota: sql<number>`affiliates.aff_history_quota + excluded.aff_history_quota`,
      }),
    )
    .execute();
  if (quotaForInviter === 0) return;
  const content = `邀请用户赠送 ${quotaForInviter}`;
  await insertLog(tx, { type: 4, userId: inviterId, content, nowMs });
}

type Transfer = {
  readonly userId: number;
  /** The earnings to move, in quota units, above 0. */
  readonly quota: number;
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Moves a user's earnings from invitations to the user's balance.
 *
 * @throws Refusal `quota-too-low` when the earnings are lower than `quota`.
 */
export async function transferEarnings(tx: Db, transfer: Transfer): Promise<void> {
  const { userId, quota, requestId, nowMs } = transfer;
  const moved = await tx
    .updateTable("affiliates")
    .set((eb) => ({ aff_quota: eb("aff_quota", "-", quota) }))
    .where("user_id", "=", userId)
    .where("aff_quota", ">=", quota)
    .returning("user_id")
    .executeTakeFirst();
  if (moved === undefined) throw new Refusal("quota-too-low", "划转失败 邀请额度不足！");
  await postEntry(tx, {
    cause: `aff_transfer:${requestId}`,
    kind: "aff_transfer",
    userId,
    amount: quota,
    detail: "",
    nowMs,
  });
}
