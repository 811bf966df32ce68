/** The rules of users: who may change whom, and how a user is created. */

import { role, userStatus } from "@tollgate/contract/endpoints/users.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { type NotedRow, noteRow, type RowState } from "#modules/audit/audit.ts";
import { openBalance, postEntry } from "#modules/ledger/ledger.ts";
import { insertLog } from "#modules/logs/logs.ts";
import { movingStatus } from "#ports/snapshot.ts";
import { isNameTaken, judgeChosenName } from "./names.ts";
import {
  insertUser,
  type NewUser,
  updateUser,
  type UserRow,
  type UserViewRow,
} from "./users.repo.ts";

export {
  addMembership,
  refuseOnlyOwner,
  removeMembership,
  setMembershipRole,
} from "./memberships.ts";

/** What the users module offers to the relay. */
export type Users = {
  /** Reads a user's balance and used quota from the database, in quota units. */
  readSpending(userId: number): Promise<{ readonly remain: number; readonly used: number }>;
};

/** Whether a role is above another one. Root is above every role, including root. */
export function outranks(actorRole: number, targetRole: number): boolean {
  return actorRole === role.enum.root || actorRole > targetRole;
}

/**
 * Brings a user to the form in which the relay sees it. A deleted user appears as disabled, so that
 * the user's tokens are refused.
 */
export function userView(row: UserViewRow) {
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    status: viewStatus(row),
    group: row.group,
  };
}

function viewStatus({ DeletedAt, status, moving }: UserViewRow): number {
  if (DeletedAt !== null) return userStatus.enum.disabled;
  return status === userStatus.enum.enabled && moving === 1 ? movingStatus : status;
}

export type Birth = Omit<NewUser, "aff_code" | "create_time"> & {
  /** Random invite codes, of which the user gets the first that is not taken. */
  readonly affCodes: readonly string[];
  /** The initial balance in quota units. */
  readonly quota: number;
  /**
   * Cause of the ledger entry that credits the initial balance. It must be unique, for which `{id}`
   * is replaced by the user's id.
   */
  readonly cause: string;
  /** Text of the log row about the initial balance; empty: no row is added. */
  readonly logText: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Creates a user with a balance row, and credits the initial balance.
 * @returns the id of the new user.
 * @throws Refusal `already-exists` when an existing or deleted user has the name.
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
      kind: "gift",
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

/**
 * Creates a user whose name a person chose: checks the name first, then does the same as
 * `bearUser`.
 * @throws Refusal `already-exists` when the name is taken, `invalid-input` when it is reserved or
 * looks like an admin's.
 */
export async function bearNamedUser(tx: Db, birth: Birth): Promise<number> {
  if (await isNameTaken(tx, birth.username)) throw nameTaken();
  await judgeChosenName(tx, birth.username);
  return await bearUser(tx, birth);
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

/** The columns of a user that other modules may change with `updateAccount`. */
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

/** Changes the account of an organisation. */
export async function changeOrganisation(
  tx: Db,
  id: number,
  columns: Partial<Pick<UserRow, "DeletedAt" | "group" | "status">>,
): Promise<void> {
  await updateUser(tx, id, columns);
  await recordChange(tx, "users", id);
}

/** Lets users call here who have moved. */
export async function openMovedUsers(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable("users")
    .set({ moving: 0 })
    .where("id", "in", [...ids])
    .execute();
  for (const id of ids) await recordChange(tx, "users", id);
}

/** The columns of a user that the audit log proves. */
const notedColumns = [
  "username",
  "role",
  "status",
  "group",
  "aff_code",
  "inviter_id",
  "DeletedAt",
] as const;

type NotedColumn = (typeof notedColumns)[number];

/** Returns what the audit log says of a user. */
export function notedUser(row: Pick<UserRow, NotedColumn>): RowState {
  return Object.fromEntries(notedColumns.map((name) => [name, row[name]]));
}

/**
 * Makes the note of a user that was changed in this transaction.
 * @param names the changed columns; absent: the user is new. Undefined: the log proves none of them.
 */
export async function noteUser(
  tx: Db,
  id: number,
  names: readonly string[] = notedColumns,
): Promise<NotedRow | undefined> {
  const changed = notedColumns.filter((name) => names.includes(name));
  if (changed.length === 0) return undefined;
  const row = await tx
    .selectFrom("users")
    .select(changed)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return await noteRow(tx, "user", id, row);
}

/** Stores the language of a user who has none yet. */
export async function learnLanguage(tx: Db, userId: number, language: string): Promise<void> {
  await tx
    .updateTable("users")
    .set({ language })
    .where("id", "=", userId)
    .where("language", "=", "")
    .execute();
}

export function nameTaken(): Refusal {
  return new Refusal("already-exists", "用户名已存在，或已注销");
}
