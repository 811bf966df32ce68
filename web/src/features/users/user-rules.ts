/**
 * Decides which actions the caller may use on which users. The server has the final word; the
 * console disables beforehand what the server would refuse, with the same messages.
 */

import {
  type AdminUser,
  role,
  type ShortUser,
  userStatus,
} from "@tollgate/contract/endpoints/users.ts";
import type { TextKey } from "#i18n/t.ts";
import type { Tone } from "#ui/tone.ts";

export type Caller = Pick<ShortUser, "id" | "role">;
type Ranked = Pick<AdminUser, "id" | "role" | "status" | "DeletedAt">;

export type UserAction =
  | "delete"
  | "demote"
  | "disable"
  | "edit"
  | "enable"
  | "group"
  | "history"
  | "promote";

/** Whether the list shows the action for this user at all; a shown action may still be disabled. */
export function isOffered(action: UserAction, row: Ranked, caller: Caller): boolean {
  if (row.DeletedAt !== null) return false;
  switch (action) {
    // A user with the third status, barred, can be neither enabled nor disabled.
    case "enable":
      return row.status === userStatus.enum.disabled;
    case "disable":
      return row.status === userStatus.enum.enabled;
    case "promote":
      return caller.role === role.enum.root && row.role === role.enum.user;
    case "demote":
      return caller.role === role.enum.root && row.role !== role.enum.user;
    default:
      return true;
  }
}

/** Returns why the server would refuse the action; null: it would accept it. */
export function refusalOf(action: UserAction, row: Ranked, caller: Caller): TextKey | null {
  if (row.DeletedAt !== null) return "users.refusedDeleted";
  const isSelf = row.id === caller.id;
  const outranks = caller.role === role.enum.root || caller.role > row.role;
  if (action === "history") return outranks || isSelf ? null : "users.refusedHistory";
  if (!outranks) return isSelf ? "users.refusedSelf" : "users.refusedRank";
  if (row.role === role.enum.root) return refusedOnRoot[action] ?? null;
  if (action === "enable" && row.status === userStatus.enum.barred) return "users.refusedBarred";
  return null;
}

const refusedOnRoot: Partial<Record<UserAction, TextKey>> = {
  delete: "users.refusedDeleteRoot",
  demote: "users.refusedDemoteRoot",
  disable: "users.refusedDisableRoot",
};

/**
 * Splits the selected users into those to send a bulk action for, and those for whom the server
 * would refuse it.
 */
export function splitAllowed<Row extends Ranked>(
  action: UserAction,
  rows: readonly Row[],
  caller: Caller,
): { readonly allowed: readonly Row[]; readonly refused: readonly { row: Row; why: TextKey }[] } {
  const refused = rows.flatMap((row) => {
    const why = refusalOf(action, row, caller);
    return why === null ? [] : [{ row, why }];
  });
  const kept = new Set(refused.map(({ row }) => row));
  return { allowed: rows.filter((row) => !kept.has(row)), refused };
}

export const roleLook: Readonly<Record<AdminUser["role"], { tone: Tone; label: TextKey }>> = {
  [role.enum.user]: { tone: "neutral", label: "users.roleUser" },
  [role.enum.admin]: { tone: "info", label: "users.roleAdmin" },
  [role.enum.root]: { tone: "accent", label: "users.roleRoot" },
};

/**
 * Returns the badge for a user's status. A deleted user is shown as deleted, whatever the stored
 * status is.
 */
export function statusLook(row: Ranked): { readonly tone: Tone; readonly label: TextKey } {
  if (row.DeletedAt !== null) return { tone: "neutral", label: "users.cancelled" };
  switch (row.status) {
    case userStatus.enum.enabled:
      return { tone: "success", label: "users.activated" };
    case userStatus.enum.disabled:
      return { tone: "danger", label: "users.banned" };
    case userStatus.enum.barred:
      return { tone: "warning", label: "users.barred" };
  }
}

/** The bar shows a warning when at least this share of the total quota is used. */
const spendWarnShare = 0.8;

/**
 * Computes how much of all the quota that a user ever had is used. A balance below 0 counts as 0.
 * The share is 0 if there never was any quota.
 */
export function spendOf({
  quota,
  used_quota,
  DeletedAt,
}: Pick<AdminUser, "quota" | "used_quota" | "DeletedAt">): {
  readonly used: number;
  readonly total: number;
  readonly percent: number;
  readonly tone: Tone;
} {
  const total = used_quota + Math.max(0, quota);
  const share = total === 0 ? 0 : used_quota / total;
  const percent = Math.floor(share * 100);
  return { used: used_quota, total, percent, tone: toneOf() };

  function toneOf(): Tone {
    if (DeletedAt !== null || (quota === 0 && used_quota === 0)) return "neutral";
    if (quota <= 0) return "danger";
    return share >= spendWarnShare ? "warning" : "accent";
  }
}
