/**
 * Invitations: how they reward the inviter and the invitee, and how earnings are moved to the
 * balance.
 */

import { userStatus } from "@tollgate/contract/endpoints/users.ts";
import { sql } from "kysely";
import type { Random } from "#base/random.ts";
import type { Db } from "#db/database.ts";
import type { EarningAccount, EntryKind } from "#db/tables/ledger.ts";
import { type Posted, postEarning, postEntry, refuseDebtor } from "#modules/ledger/ledger.ts";
import { insertLog } from "#modules/logs/logs.ts";

export { creditRebate, restoreRebate, takeRebateBack } from "./rebates.ts";

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
    .where("organisation", "=", 0)
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
  await countInvitation(tx, inviterId);
  if (quotaForInviter === 0) return;
  await postEarning(tx, {
    account: "invitations",
    cause: `invite:${inviteeId}`,
    kind: "invite",
    userId: inviterId,
    amount: quotaForInviter,
    detail: "",
    nowMs,
  });
  const content = `邀请用户赠送 ${quotaForInviter}`;
  await insertLog(tx, { type: 4, userId: inviterId, content, nowMs });
}

/** Counts that a user has invited another one. */
export async function countInvitation(tx: Db, inviterId: number): Promise<void> {
  await tx
    .insertInto("affiliates")
    .values({ user_id: inviterId, aff_count: 1 })
    .onConflict((conflict) =>
      conflict
        .column("user_id")
        .doUpdateSet({ aff_count: sql<number>`affiliates.aff_count + excluded.aff_count` }),
    )
    .execute();
}

type EarningTransfer = {
  readonly account: EarningAccount;
  readonly userId: number;
  /** Quota units above 0. */
  readonly amount: number;
  /** What asks for it; each moves earnings once. */
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** The message of the refusal when there is too little. */
  readonly tooLittle: string;
};

/** The kind of the entry in the balance to which an account of earnings is moved. */
const transferKinds = {
  invitations: "aff_transfer",
  purse: "dividend",
} as const satisfies Record<EarningAccount, EntryKind>;

/**
 * Moves earnings to the user's balance, as the user asks.
 *
 * @throws Refusal `quota-too-low` when the earnings are lower than `amount`, `not-allowed` when the
 * user has a debt.
 */
export async function transferEarnings(tx: Db, transfer: EarningTransfer): Promise<void> {
  await refuseDebtor(tx, transfer.userId);
  await moveEarnings(tx, transfer);
}

/**
 * Moves earnings to the user's balance, where they pay a debt first, by an entry on each side with
 * the same cause.
 *
 * @throws Refusal `quota-too-low` when the earnings are lower than `amount`.
 */
export async function moveEarnings(tx: Db, transfer: EarningTransfer): Promise<Posted> {
  const { account, userId, amount, requestId, nowMs, tooLittle } = transfer;
  const kind = transferKinds[account];
  const cause = `${kind}:${requestId}`;
  const shared = { cause, userId, detail: "", nowMs };
  await postEarning(tx, { ...shared, account, kind: "transfer", amount: -amount, tooLittle });
  return await postEntry(tx, { ...shared, kind, amount });
}
