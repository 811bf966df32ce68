/** What every account that somebody makes for themselves begins with, whichever way they come. */

import type { RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Options } from "#modules/options/options.ts";
import type { Birth } from "#modules/users/users.ts";
import type { Gifts } from "./registration.store.ts";

/** Accounts made from one address. */
export const registerRule: RateRule = { name: "register", windowMs: 3_600_000, max: 5 };

/** Invite codes tried for one user; all being taken means that codes run out. */
const affCodesTried = 8;

const newUserGroup = "default";

export type NewAccounts = {
  /** @throws Refusal `not-allowed` while root takes no new accounts. */
  refuseClosed(): void;
  birthOf(account: {
    readonly username: string;
    readonly displayName: string;
    /** Empty: no password leads to it. */
    readonly passwordHash: string;
    readonly role: number;
  }): Birth;
  /** What an invitation brings. */
  gifts(): Gifts;
};

export function openNewAccounts({
  readOption,
  newAffCode,
  now,
}: {
  readonly readOption: Options["read"];
  /** A random invite code: 4 letters and digits. */
  readonly newAffCode: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
}): NewAccounts {
  return {
    refuseClosed() {
      if (!readOption("RegisterEnabled")) {
        throw new Refusal("not-allowed", "管理员关闭了新用户注册");
      }
    },

    birthOf({ username, displayName, passwordHash, role }) {
      const quota = readOption("QuotaForNewUser");
      return {
        username,
        display_name: displayName,
        password_hash: passwordHash,
        role,
        group: newUserGroup,
        affCodes: Array.from({ length: affCodesTried }, newAffCode),
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
