/** The rules of users: who may touch whom, and how one comes into being. */

import { role, userStatus } from "@tollgate/contract/users.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { openBalance, postEntry } from "#modules/ledger/ledger.ts";
import { insertLog } from "#modules/logs/logs.ts";
import {
  insertUser,
  isNameTaken,
  type NewUser,
  updateUser,
  type UserRow,
  type UserViewRow,
} from "./users.repo.ts";

/** What the relay may ask of this module. */
export type Users = {
  /** Quota units; asks the database. */
  readSpending(userId: number): Promise<{ readonly remain: number; readonly used: number }>;
};

/** Whether a role stands above another one. Root stands above everybody, also itself. */
export function outranks(actorRole: number, targetRole: number): boolean {
  return actorRole === role.enum.root || actorRole > targetRole;
}

/** A user as the relay knows it. A deleted one counts as disabled, so its tokens are refused. */
export function userView(row: UserViewRow) {
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    status: row.DeletedAt === null ? row.status : userStatus.enum.disabled,
    group: row.group,
  };
}

export type Birth = Omit<NewUser, "aff_code" | "create_time"> & {
  /** Invite codes to try, random: the first that is free becomes the user's. */
  readonly affCodes: readonly string[];
  /** Quota units to begin with. */
  readonly quota: number;
  /** Cause of the ledger entry that credits them, unique; `{id}` stands for the user's id. */
  readonly cause: string;
  /** What the user's log says of them; `""`: nothing. */
  readonly logText: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Creates a user with its balance.
 *
 * @returns its id.
 * @throws Refusal `already-exists` when a living or deleted user has the name.
 */
export async function bearUser(tx: Db, birth: Birth): Promise<number> {
  const { affCodes, quota, cause, logText, nowMs, ...columns } = birth;
  const id = await insertUnderFreeCode(tx, affCodes, {
    ...columns,
    create_time: unixSeconds(nowMs),
  });
  await openBalance(tx, id);
  if (quota > 0) {
    await postEntry(tx, {
      cause: cause.replace("{id}", String(id)),
      kind: "admin_adjust",
      userId: id,
      amount: quota,
      detail: logText,
      nowMs,
    });
    if (logText !== "") await insertLog(tx, { type: 4, userId: id, content: logText, nowMs });
  }
  await recordChange(tx, "users", id);
  return id;
}

async function insertUnderFreeCode(
  tx: Db,
  affCodes: readonly string[],
  columns: Omit<NewUser, "aff_code">,
): Promise<number> {
  for (const aff_code of affCodes) {
    const id = await insertUser(tx, { ...columns, aff_code });
    if (id !== undefined) return id;
    if (await isNameTaken(tx, columns.username)) throw nameTaken();
  }
  throw new Error("every invite code tried is taken");
}

/** What other modules decide of a user. */
type AccountColumns = Partial<
  Pick<
    UserRow,
    | "access_token_lookup"
    | "email"
    | "github_id"
    | "inviter_id"
    | "linux_do_id"
    | "oidc_id"
    | "password_expired"
    | "password_hash"
    | "telegram_id"
    | "wechat_id"
  >
>;

export async function updateAccount(tx: Db, id: number, columns: AccountColumns): Promise<void> {
  await updateUser(tx, id, columns);
}

export function nameTaken(): Refusal {
  return new Refusal("already-exists", "用户名已存在，或已注销");
}
