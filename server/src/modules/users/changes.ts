/**
 * All changes of existing users. Each is one transaction: it checks that the actor outranks the
 * user, makes the change, ends the sessions that must not continue after it, and adds an entry to
 * the audit log.
 */

import { type ManageAction } from "@tollgate/contract/endpoints/user-admin.ts";
import {
  role,
  usernameFault,
  usernameRules,
  userStatus,
} from "@tollgate/contract/endpoints/users.ts";
import { foldText } from "#base/fold-text.ts";
import { Refusal } from "#base/refusal.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { type Posted, postEntry, readDebt } from "#modules/ledger/ledger.ts";
import { insertLog } from "#modules/logs/logs.ts";
import { forgetSetting } from "#modules/notifications/notifications.ts";
import { forgetFactors } from "#modules/second-factor/second-factor.ts";
import { forgetFailures, forgetSignIns } from "#modules/passwords/passwords.ts";
import { endSessions } from "#modules/sessions/sessions.ts";
import { disableKeysOf } from "#modules/tokens/tokens.ts";
import { leaveAll } from "./memberships.ts";
import {
  isFromPresent,
  type QuotaChange,
  type QuotaWish,
  readQuotaChange,
  stale,
} from "./quota.ts";
import { isNameTaken, judgeChosenName } from "./names.ts";
import { findUser, lockUser, updateUser, type UserRow } from "./users.repo.ts";
import { nameTaken, noteUser, outranks } from "./users.ts";

/** Who makes a change, and when. */
export type By = {
  readonly actor: Actor;
  readonly role: number;
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** The columns of `users` that an edit may change. */
const editable = ["username", "display_name", "language", "password_hash", "group"] as const;

type Columns = { readonly [Name in (typeof editable)[number]]?: string | undefined };

type UserEdit = Columns & {
  readonly id: number;
  /**
   * The role in the row that the caller sent back. It is never stored, but a role that the caller
   * may not give is refused.
   */
  readonly role?: number | undefined;
  /** The groups that exist; a user can only be moved to one of them. */
  readonly groups: readonly string[];
  readonly wish: QuotaWish;
  /** The change of the balance in quota units, which `planQuota` computed from `wish`. */
  readonly delta: number;
  /** Why the quota is changed; empty when no reason was given. */
  readonly reason: string;
};

const notHigher = "无权更新同权限等级或更高权限等级的用户信息";

/**
 * Returns the columns of `edit` whose values differ from `before`. Columns that are empty or absent
 * in `edit` stay as they are.
 */
function changesOf(before: UserRow, edit: Columns): Partial<Record<keyof Columns, string>> {
  const changes: Partial<Record<keyof Columns, string>> = {};
  for (const name of editable) {
    const sent = edit[name];
    const value = name === "username" ? sent?.normalize("NFC") : sent;
    if (value !== undefined && value !== "" && value !== before[name]) changes[name] = value;
  }
  return changes;
}

/**
 * Writes the changed columns of an edit. A new password ends all sessions and revokes the access
 * token.
 * @returns the changes for the audit log.
 */
async function applyColumns(
  tx: Db,
  before: UserRow,
  edit: Columns,
  by: By,
): Promise<Record<string, unknown>> {
  const changes = changesOf(before, edit);
  await updateUser(tx, before.id, { ...changes, ...(await keyOfName(tx, before.id, changes)) });
  const { password_hash, ...shown } = changes;
  if (password_hash !== undefined) await passwordChanged(tx, before.id, by);
  const old = Object.keys(shown).map((name) => [name, before[name as keyof typeof shown]]);
  return {
    before: Object.fromEntries(old),
    after: shown,
    ...(password_hash === undefined ? {} : { password: "changed" }),
  };
}

/**
 * Computes the column `username_key`, which is derived from the username and changes with it.
 * @throws Refusal when the username is invalid, reserved or taken.
 */
async function keyOfName(
  tx: Db,
  id: number,
  { username }: Pick<Columns, "username">,
): Promise<{ readonly username_key?: string }> {
  if (username === undefined) return {};
  const fault = usernameFault(username);
  if (fault !== null) {
    throw new Refusal("invalid-input", usernameRules[fault], { field: "username" });
  }
  if (await isNameTaken(tx, username, id)) throw nameTaken();
  await judgeChosenName(tx, username, id);
  return { username_key: foldText(username) };
}

/**
 * Does what has to follow a new password. If somebody else has set it, that person knows it, so it
 * is expired from the start: the user can only use it to choose another one.
 */
async function passwordChanged(tx: Db, id: number, { actor }: By): Promise<void> {
  await updateUser(tx, id, { password_expired: actor.userId === id ? 0 : 1 });
  await forgetFailures(tx, id);
  await endAllAccess(tx, id);
}

/** Ends all sessions of a user and revokes the access token. */
async function endAllAccess(tx: Db, id: number): Promise<void> {
  await updateUser(tx, id, { access_token_lookup: null });
  await endSessions(tx, id);
}

/**
 * Removes what must not outlive an account: memberships of organisations with the keys there,
 * sessions, access token, second factors, sign-in records and notification settings.
 */
async function endAccount(tx: Db, id: number, by: By): Promise<void> {
  await leaveAll(tx, id, by);
  await endAllAccess(tx, id);
  await forgetFactors(tx, id);
  await forgetSignIns(tx, id);
  await forgetSetting(tx, id);
}

async function lockTarget(
  tx: Db,
  who: { readonly id: number } | { readonly username: string },
  by: By,
  refusal: string,
): Promise<UserRow> {
  const target = await lockUser(tx, who);
  if (target === undefined) throw new Refusal("not-found", "用户不存在");
  if (!outranks(by.role, target.role)) throw new Refusal("not-allowed", refusal);
  return target;
}

/**
 * Computes by how much an edit will change a balance, without changing it.
 * @throws Refusal as `editUser` does.
 */
export async function planQuota(
  db: Db,
  id: number,
  actorRole: number,
  wish: QuotaWish,
): Promise<QuotaChange> {
  const target = await findUser(db, id);
  if (target === undefined || target.DeletedAt !== null) {
    throw new Refusal("not-found", "用户不存在");
  }
  if (!outranks(actorRole, target.role)) throw new Refusal("not-allowed", notHigher);
  return await readQuotaChange(db, id, wish);
}

export async function editUser(tx: Db, edit: UserEdit, by: By): Promise<void> {
  const target = await lockTarget(tx, edit, by, notHigher);
  const wanted = edit.role ?? target.role;
  if (wanted !== target.role && !outranks(by.role, wanted)) {
    throw new Refusal("not-allowed", "无权将其他用户权限等级提升到大于等于自己的权限等级");
  }
  const changes = changesOf(target, edit);
  const { group } = changes;
  if (group !== undefined && !edit.groups.includes(group)) {
    throw new Refusal("invalid-input", `分组不存在：${group}`);
  }
  const detail = await applyColumns(tx, target, edit, by);
  const quota = await adjustQuota(tx, edit, by);
  await recordChange(tx, "users", target.id);
  await note(tx, by, "user.update", target.id, { ...detail, ...quota }, Object.keys(changes));
}

/**
 * Changes the balance by the planned amount.
 * @throws Refusal `stale` when the balance has changed since, so that `wish` now means another
 * amount.
 */
async function adjustQuota(tx: Db, { id, wish, delta, reason }: UserEdit, by: By): Promise<object> {
  const present = await readQuotaChange(tx, id, wish);
  if (!isFromPresent(wish) && present.delta !== delta) throw stale();
  if (delta === 0) return {};
  const { balance } = await postEntry(tx, {
    cause: `adjust:${by.requestId}`,
    kind: "admin_adjust",
    userId: id,
    amount: delta,
    detail: reason,
    nowMs: by.nowMs,
  });
  const old = balance - delta;
  const moved = `管理员将用户额度从 ${old}修改为 ${balance}`;
  await insertLog(tx, {
    type: 3,
    userId: id,
    content: reason === "" ? moved : `${moved}：${reason}`,
    nowMs: by.nowMs,
  });
  return { quota: { before: old, after: balance }, ...(reason === "" ? {} : { reason }) };
}

/** Locks whoever owes something: a user whom the actor outranks, or for root an organisation. */
async function lockDebtor(tx: Db, id: number, by: By): Promise<{ readonly id: number }> {
  const row = await tx
    .selectFrom("users")
    .select("organisation")
    .where("id", "=", id)
    .where("DeletedAt", "is", null)
    .executeTakeFirst();
  const isRoots = row?.organisation === 1 && by.role === role.enum.root;
  return isRoots ? { id } : await lockTarget(tx, { id }, by, notHigher);
}

/** Waives what a user or an organisation owes. */
export async function waiveDebt(
  tx: Db,
  id: number,
  reason: string,
  by: By,
): Promise<{ readonly posted: Posted }> {
  const target = await lockDebtor(tx, id, by);
  const debt = await readDebt(tx, target.id);
  if (debt === 0) throw new Refusal("not-allowed", "该用户没有欠费");
  const posted = await postEntry(tx, {
    cause: `debt_waived:${by.requestId}`,
    kind: "debt_waived",
    userId: target.id,
    amount: -debt,
    detail: reason,
    nowMs: by.nowMs,
  });
  const content = `管理员免除欠费额度 ${debt}：${reason}`;
  await insertLog(tx, { type: 3, userId: target.id, content, nowMs: by.nowMs });
  await note(tx, by, "user.waive-debt", target.id, { debt, reason });
  return { posted };
}

type Managed = { readonly id: number; readonly role: number; readonly status: number };

export async function manageUser(
  tx: Db,
  who: { readonly id: number } | { readonly username: string },
  action: ManageAction,
  by: By,
): Promise<Managed> {
  const target = await lockTarget(tx, who, by, notHigher);
  const changes = decide(target, action, by);
  await updateUser(tx, target.id, changes);
  if (action === "delete") await endAccount(tx, target.id, by);
  else if (action !== "enable") await endAllAccess(tx, target.id);
  if (action === "disable") await disableKeysOf(tx, { userId: target.id }, by);
  await recordChange(tx, "users", target.id);
  const { role: userRole, status } = { ...target, ...changes };
  const detail = {
    action,
    before: { role: target.role, status: target.status },
    after: { role: userRole, status },
  };
  await note(tx, by, "user.manage", target.id, detail, Object.keys(changes));
  return { id: target.id, role: userRole, status };
}

type Decision = { readonly role?: number; readonly status?: number; readonly DeletedAt?: string };

/**
 * Decides which columns an action of an administrator changes.
 * @throws Refusal `not-allowed` when the action is not allowed on this user.
 */
function decide(target: UserRow, action: ManageAction, by: By): Decision {
  const isRoot = target.role === role.enum.root;
  switch (action) {
    case "disable":
      if (isRoot) throw new Refusal("not-allowed", "无法禁用超级管理员用户");
      // Disabling a barred user changes nothing: a disabled user may be enabled again, a barred one
      // never.
      return target.status === userStatus.enum.barred ? {} : { status: userStatus.enum.disabled };
    case "enable":
      if (target.status === userStatus.enum.barred) {
        throw new Refusal("not-allowed", "该用户无法被启用");
      }
      return { status: userStatus.enum.enabled };
    case "delete":
      if (isRoot) throw new Refusal("not-allowed", "无法删除超级管理员用户");
      return { DeletedAt: new Date(by.nowMs).toISOString() };
    case "promote":
      if (by.role !== role.enum.root) {
        throw new Refusal("not-allowed", "普通管理员用户无法提升其他用户为管理员");
      }
      if (target.role >= role.enum.admin) throw new Refusal("not-allowed", "该用户已经是管理员");
      return { role: role.enum.admin };
    case "demote":
      if (isRoot) throw new Refusal("not-allowed", "无法降级超级管理员用户");
      if (target.role === role.enum.user) throw new Refusal("not-allowed", "该用户已经是普通用户");
      return { role: role.enum.user };
  }
}

export async function removeUser(tx: Db, id: number, by: By): Promise<void> {
  const target = await lockTarget(tx, { id }, by, "无权删除同权限等级或更高权限等级的用户");
  await updateUser(tx, id, decide(target, "delete", by));
  await endAccount(tx, id, by);
  await recordChange(tx, "users", id);
  await note(tx, by, "user.delete", id, { username: target.username }, ["DeletedAt"]);
}

/**
 * Edits the caller's own account.
 * @returns the username after the edit.
 */
export async function editSelf(tx: Db, edit: Columns, by: By): Promise<string> {
  const { userId } = by.actor;
  const self = await lockUser(tx, { id: userId });
  if (self === undefined) throw new Refusal("not-found", "用户不存在");
  const { group: _, ...own } = edit;
  const detail = await applyColumns(tx, self, own, by);
  await recordChange(tx, "users", userId);
  const changed = Object.keys(changesOf(self, own));
  await note(tx, by, "user.self-update", userId, detail, changed);
  return own.username === undefined || own.username === "" ? self.username : own.username;
}

export async function removeSelf(tx: Db, by: By): Promise<void> {
  const { userId } = by.actor;
  const self = await lockUser(tx, { id: userId });
  if (self === undefined) throw new Refusal("not-found", "用户不存在");
  if (self.role === role.enum.root) throw new Refusal("not-allowed", "不能删除超级管理员账户");
  await updateUser(tx, userId, { DeletedAt: new Date(by.nowMs).toISOString() });
  await endAccount(tx, userId, by);
  await recordChange(tx, "users", userId);
  const detail = { username: self.username };
  await note(tx, by, "user.self-delete", userId, detail, ["DeletedAt"]);
}

/** Sets a user's access token. The previous one stops working. */
export async function setAccessToken(
  tx: Db,
  actor: Actor,
  lookup: string,
  nowMs: number,
): Promise<void> {
  await updateUser(tx, actor.userId, { access_token_lookup: lookup });
  await appendAudit(tx, {
    actor,
    action: "user.access-token",
    target: `user:${actor.userId}`,
    nowMs,
  });
}

async function note(
  tx: Db,
  { actor, nowMs }: By,
  action: string,
  id: number,
  detail: object,
  changed: readonly string[] = [],
): Promise<void> {
  const row = await noteUser(tx, id, changed);
  await appendAudit(tx, { actor, action, target: `user:${id}`, detail, row, nowMs });
}
