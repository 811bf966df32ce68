/** What runs beside the database for users. */

import { keptLanguage } from "@tollgate/contract/words/languages.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import { type AdminUser, role, type User, userStatus } from "@tollgate/contract/endpoints/users.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { changeUsers } from "./batch-changes.ts";
import {
  editSelf,
  editUser,
  manageUser,
  planQuota,
  removeSelf,
  removeUser,
  setAccessToken,
  waiveDebt,
} from "./changes.ts";
import { readBalanceChange } from "./balance-change.repo.ts";
import { type EntryWindow, pageEntries } from "./entries.repo.ts";
import * as repo from "./users.repo.ts";
import { type Birth, bearUser, noteUser, outranks } from "./users.ts";

type Row = NonNullable<Awaited<ReturnType<typeof repo.findUser>>>;

/**
 * Returns a user in the form in which the API shows it. `setting` stays empty, because it may
 * contain secret webhook addresses that only the user may see.
 */
function showUser(row: Row): User {
  return {
    ...row,
    setting: "",
    language: keptLanguage.safeParse(row.language).data ?? "",
    role: role.parse(row.role),
    status: userStatus.parse(row.status),
  };
}

/**
 * Returns users as admins see them, with their consumption and its share in `totals`, what all
 * users consumed. The caller keeps `totals`, because adding them up takes as long as everything
 * else here.
 */
async function showForAdmins(
  db: Db,
  rows: readonly Row[],
  totals: repo.Windows,
  nowMs: number,
): Promise<AdminUser[]> {
  const ids = rows.map(({ id }) => id);
  const windows = await repo.readWindows(db, ids, unixSeconds(nowMs));
  const lastUse = await repo.readLastUse(db, ids);
  return rows.map((row) => {
    const used = windows.get(row.id) ?? repo.noWindows;
    return {
      ...showUser(row),
      ...used,
      one_day_ratio: part(used.one_day, totals.one_day),
      one_week_ratio: part(used.one_week, totals.one_week),
      one_month_ratio: part(used.one_month, totals.one_month),
      last_use_time: lastUse.get(row.id) ?? 0,
      create_time: row.create_time,
    };
  });
}

/**
 * Returns a share from 0 to 1, rounded to four places. It is limited to 1, because `total` may be a
 * minute older than `of`.
 */
function part(of: number, total: number): number {
  return total === 0 ? 0 : Math.min(1, Math.round((of / total) * 10_000) / 10_000);
}

type Paged = PageWindow & { readonly items: AdminUser[]; readonly total: number };

async function pageUsers(
  db: Db,
  filter: repo.UserFilter,
  window: PageWindow,
  totals: repo.Windows,
  nowMs: number,
): Promise<Paged> {
  const { rows, total } = await repo.pageUsers(db, filter, window);
  return { items: await showForAdmins(db, rows, totals, nowMs), ...window, total };
}

/**
 * Reads a user for an admin.
 * @throws Refusal `not-found`, or `not-allowed` for users whom the admin does not outrank.
 */
async function readForAdmin(
  db: Db,
  id: number,
  actor: { readonly userId: number; readonly role: number },
  totals: repo.Windows,
  nowMs: number,
): Promise<AdminUser> {
  const row = await repo.findUser(db, id);
  if (row === undefined) throw new Refusal("not-found", "用户不存在");
  refuseHigher(row, actor);
  const [user] = await showForAdmins(db, [row], totals, nowMs);
  if (user === undefined) throw new Error("one row in, none out");
  return user;
}

/**
 * Reads a page of a user's ledger entries for an admin.
 * @throws Refusal as `readForAdmin` does.
 */
async function pageEntriesForAdmin(
  db: Db,
  id: number,
  actor: { readonly userId: number; readonly role: number },
  window: EntryWindow,
): ReturnType<typeof pageEntries> {
  const row = await repo.findUser(db, id);
  if (row === undefined) throw new Refusal("not-found", "用户不存在");
  refuseHigher(row, actor);
  return await pageEntries(db, id, window);
}

/**
 * Refuses access to a user who is neither the actor nor has a lower role; root may access
 * everybody.
 */
function refuseHigher(
  { id, role: userRole, organisation }: Pick<Row, "id" | "organisation" | "role">,
  actor: { readonly userId: number; readonly role: number },
): void {
  // Root alone sees organisations that it does not belong to.
  if (organisation === 1 && actor.role !== role.enum.root) {
    throw new Refusal("not-found", "用户不存在");
  }
  if (id === actor.userId || outranks(actor.role, userRole)) return;
  throw new Refusal("not-allowed", "无权获取同级或更高等级用户的信息");
}

async function readSelf(db: Db, id: number): Promise<User> {
  const row = await repo.findUser(db, id);
  if (row === undefined) throw new Refusal("not-found", "用户不存在");
  return showUser(row);
}

async function readPasswordHash(db: Db, id: number): Promise<string> {
  const row = await db
    .selectFrom("users")
    .select("password_hash")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return row.password_hash;
}

/** Finds the user of a name, unless deleted. */
async function findByName(
  db: Db,
  username: string,
): Promise<{ readonly id: number; readonly role: number } | undefined> {
  return await db
    .selectFrom("users")
    .select(["id", "role"])
    .where("username", "=", username)
    .where("organisation", "=", 0)
    .where("DeletedAt", "is", null)
    .executeTakeFirst();
}

async function createUser(tx: Db, actor: Actor, birth: Birth): Promise<number> {
  const id = await bearUser(tx, birth);
  await appendAudit(tx, {
    actor,
    action: "user.create",
    target: `user:${id}`,
    detail: { username: birth.username, quota: birth.quota },
    row: await noteUser(tx, id),
    nowMs: birth.nowMs,
  });
  return id;
}

export const userStore = defineStore({
  reads: {
    findByName,
    loadUsers: repo.loadUsers,
    loadUsersAfter: repo.loadUsersAfter,
    pageEntries,
    pageEntriesForAdmin,
    readBalanceChange,
    pageUsers,
    planQuota,
    readForAdmin,
    readPasswordHash,
    readSelf,
    readHourSums: repo.readHourSums,
  },
  writes: {
    changeUsers,
    createUser,
    editSelf,
    editUser,
    manageUser,
    removeSelf,
    removeUser,
    setAccessToken,
    waiveDebt,
  },
});

export type UserStore = RemoteStore<typeof userStore>;
