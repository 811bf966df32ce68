/**
 * The initial properties of a new account, the same for registration by a form and by an OAuth
 * identity.
 */

import type { KeptLanguage } from "@tollgate/contract/words/languages.ts";
import type { Random } from "#base/random.ts";
import type { RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { findInviter, newAffCodes, rewardInvitation } from "#modules/affiliates/affiliates.ts";
import type { Options } from "#modules/options/options.ts";
import { type Birth, bearNamedUser, updateAccount } from "#modules/users/users.ts";

/** The number of accounts that may be created from one IP address in an hour. */
export const registerRule: RateRule = {
  name: "register",
  windowMs: 3_600_000,
  max: 5,
  exact: true,
};

const newUserGroup = "default";

export type Gifts = { readonly quotaForInviter: number; readonly quotaForInvitee: number };

export type NewAccounts = {
  /**
   * Refuses if registration is turned off.
   * @throws Refusal `not-allowed`.
   */
  refuseClosed(): void;
  birthOf(account: {
    readonly username: string;
    readonly displayName: string;
    /** Hash of the password; empty if the account has no password. */
    readonly passwordHash: string;
    readonly role: number;
    readonly language: KeptLanguage | undefined;
  }): Birth;
  /** Returns the quota that an invitation adds to the inviter and to the new user. */
  gifts(): Gifts;
};

export function openNewAccounts({
  readOption,
  random,
  now,
}: {
  readonly readOption: Options["read"];
  readonly random: Random;
  /** Unix milliseconds. */
  readonly now: () => number;
}): NewAccounts {
  return {
    refuseClosed() {
      if (!readOption("RegisterEnabled")) {
        throw new Refusal("not-allowed", "管理员关闭了新用户注册");
      }
    },

    birthOf({ username, displayName, passwordHash, role, language = "" }) {
      const quota = readOption("QuotaForNewUser");
      return {
        username: username.normalize("NFC"),
        display_name: displayName,
        password_hash: passwordHash,
        language,
        role,
        group: newUserGroup,
        affCodes: newAffCodes(random),
        quota,
        cause: "gift:{id}",
        logText: `新用户注册赠送 ${quota}`,
        nowMs: now(),
      };
    },

    gifts: () => ({
      quotaForInviter: readOption("QuotaForInviter"),
      quotaForInvitee: readOption("QuotaForInvitee"),
    }),
  };
}

/** An account to create, and the invite code that was used, if any. */
export type Invited = {
  readonly birth: Birth;
  /** The invite code that was used; empty without an invitation. */
  readonly affCode: string;
  readonly gifts: Gifts;
};

export type Registered = {
  readonly id: number;
  /** Starting balance of the account, in quota units. */
  readonly quota: number;
};

/**
 * Creates an account. If there was an invitation, also credits the inviter and the new user.
 * @throws Refusal `already-exists` if the name is taken, `invalid-input` if it is reserved or looks
 * like an admin's.
 */
export async function bearInvited(tx: Db, { birth, affCode, gifts }: Invited): Promise<Registered> {
  const inviterId = await findInviter(tx, affCode);
  const id = await bearNamedUser(tx, birth);
  if (inviterId === undefined) return { id, quota: birth.quota };
  await updateAccount(tx, id, { inviter_id: inviterId });
  await rewardInvitation(tx, { inviterId, inviteeId: id, ...gifts, nowMs: birth.nowMs });
  return { id, quota: birth.quota + gifts.quotaForInvitee };
}
