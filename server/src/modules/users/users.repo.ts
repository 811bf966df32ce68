/** The queries on the table `users`, and those on columns of other tables about a user. */

import { type AdminUser, role, type User } from "@tollgate/contract/endpoints/users.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import { type SelectQueryBuilder, type Selectable, sql, type Updateable } from "kysely";
import { foldText } from "#base/fold-text.ts";
import type { Database, Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { UserTable } from "#db/tables/users.ts";
import { contains } from "#db/text-search.ts";
import { windowStarts } from "./usage-windows.ts";

export type UserRow = Selectable<UserTable>;

/** Which users a list shows. An empty field matches every user. */
export type UserFilter = { readonly keyword: string; readonly group: string };

/**
 * Selects users with the columns of other tables that lists show: balance, counters and affiliate
 * earnings.
 */
function selectUsers(db: Db) {
  return db
    .selectFrom("users")
    .leftJoin("balances", "balances.user_id", "users.id")
    .leftJoin("counters", (join) =>
      join.onRef("counters.id", "=", "users.id").on("counters.kind", "=", "user"),
    )
    .leftJoin("affiliates", "affiliates.user_id", "users.id")
    .leftJoin("earnings", (join) =>
      join.onRef("earnings.user_id", "=", "users.id").on("earnings.account", "=", "invitations"),
    )
    .select([
      "users.id",
      "users.username",
      "users.display_name",
      "users.language",
      "users.role",
      "users.status",
      "users.email",
      "users.github_id",
      "users.oidc_id",
      "users.wechat_id",
      "users.telegram_id",
      "users.linux_do_id",
      "users.group",
      "users.aff_code",
      "users.inviter_id",
      "users.create_time",
      "users.organisation",
      "users.DeletedAt",
    ])
    .select((eb) => [
      eb.fn.coalesce("balances.balance", eb.lit(0)).as("quota"),
      eb.fn.coalesce("balances.debt", eb.lit(0)).as("debt"),
      eb.fn.coalesce("balances.entry_count", eb.lit(0)).as("quota_version"),
      eb.fn.coalesce("counters.used_quota", eb.lit(0)).as("used_quota"),
      eb.fn.coalesce("counters.request_count", eb.lit(0)).as("request_count"),
      eb.fn.coalesce("affiliates.aff_count", eb.lit(0)).as("aff_count"),
      eb.fn.coalesce("earnings.balance", eb.lit(0)).as("aff_quota"),
      eb.fn.coalesce("earnings.earned", eb.lit(0)).as("aff_history_quota"),
    ]);
}

type Joined = Omit<User, "language" | "role" | "status" | "setting"> & {
  readonly language: string;
  readonly role: number;
  readonly status: number;
  readonly create_time: number;
  readonly organisation: number;
};

export async function findUser(db: Db, id: number): Promise<Joined | undefined> {
  return await selectUsers(db).where("users.id", "=", id).executeTakeFirst();
}

/** Sort key of lists that puts deleted users last: false comes before true. */
const isDeleted = sql<boolean>`${sql.ref("users.DeletedAt")} is not null`;

/**
 * Reads one page of users, newest first, deleted users last. `total` counts the users of all pages.
 */
export async function pageUsers(
  db: Db,
  filter: UserFilter,
  { page, page_size }: PageWindow,
): Promise<{ rows: Joined[]; total: number }> {
  // The first query reads only `users`, and finds the ids of the page and the total. The other
  // tables are then joined for the rows of this page only.
  const found = await matching(db.selectFrom("users"), filter)
    .select((eb) => ["users.id", eb.fn.countAll<number>().over().as("total")])
    .orderBy(isDeleted)
    .orderBy("users.id", "desc")
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute();
  const [first] = found;
  if (first === undefined) return { rows: [], total: await countUsers(db, filter) };
  const ids = found.map(({ id }) => id);
  const rows = await selectUsers(db)
    .where("users.id", "in", ids)
    .orderBy(isDeleted)
    .orderBy("users.id", "desc")
    .execute();
  return { rows, total: first.total };
}

async function countUsers(db: Db, filter: UserFilter): Promise<number> {
  const query = db.selectFrom("users").select((eb) => eb.fn.countAll<number>().as("total"));
  return (await matching(query, filter).executeTakeFirstOrThrow()).total;
}

function matching<Tables extends "users", Row>(
  query: SelectQueryBuilder<Database, Tables, Row>,
  { keyword, group }: UserFilter,
): SelectQueryBuilder<Database, Tables, Row> {
  const persons = query.where(sql<boolean>`${sql.ref("users.organisation")} = 0`);
  const id = /^\d{1,15}$/.test(keyword) ? Number(keyword) : 0;
  const found = sql<boolean>`(${sql.ref("users.id")} = ${id}
    or ${contains("users.username", keyword)} or ${contains("users.email", keyword)}
    or ${contains("users.display_name", keyword)})`;
  const inGroup = sql<boolean>`${sql.ref("users.group")} = ${group}`;
  const narrowed = keyword === "" ? persons : persons.where(found);
  return group === "" ? narrowed : narrowed.where(inGroup);
}

/**
 * What a user consumed in the last 1, 7 and 30 days, in quota units. The windows end with the
 * current hour.
 */
export type Windows = Pick<AdminUser, "one_day" | "one_week" | "one_month">;

export const noWindows: Windows = { one_day: 0, one_week: 0, one_month: 0 };

/** Returns the SQL expression that sums the quota of all hours from `start` on. */
function usedSince(start: number) {
  return sql<number>`coalesce(sum(case when hour >= ${start} then quota else 0 end), 0)`;
}

/** Reads what all users together used in each hour since `start`; hours without use are absent. */
export async function readHourSums(
  db: Db,
  start: number,
): Promise<{ hour: number; quota: number }[]> {
  return await db
    .selectFrom("usage_hours")
    .select((eb) => ["hour", eb.fn.sum<number>("quota").as("quota")])
    .where("hour", ">=", start)
    .groupBy("hour")
    .execute();
}

/**
 * Reads what each of these users consumed in the last 1, 7 and 30 days; a user who consumed nothing
 * is absent.
 */
export async function readWindows(
  db: Db,
  userIds: readonly number[],
  nowSeconds: number,
): Promise<ReadonlyMap<number, Windows>> {
  if (userIds.length === 0) return new Map();
  const { day, week, month } = windowStarts(nowSeconds);
  const rows = await db
    .selectFrom("usage_hours")
    .select([
      "user_id",
      usedSince(day).as("one_day"),
      usedSince(week).as("one_week"),
      usedSince(month).as("one_month"),
    ])
    .where("hour", ">=", month)
    .where("user_id", "in", userIds)
    .groupBy("user_id")
    .execute();
  return new Map(rows.map(({ user_id, ...windows }) => [user_id, windows]));
}

/**
 * Reads when each of these users last made a charged call, in Unix seconds; a user who never did is
 * absent.
 */
export async function readLastUse(
  db: Db,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("users")
    .select((eb) => [
      "users.id",
      eb
        .selectFrom("entries")
        .select("entries.created_at")
        .whereRef("entries.user_id", "=", "users.id")
        .where("entries.kind", "=", "settle")
        .orderBy("entries.seq", "desc")
        .limit(1)
        .as("time"),
    ])
    .where("users.id", "in", userIds)
    .execute();
  return new Map(rows.flatMap(({ id, time }) => (time === null ? [] : [[id, time]])));
}

export type NewUser = Pick<
  UserRow,
  | "username"
  | "display_name"
  | "language"
  | "password_hash"
  | "role"
  | "group"
  | "aff_code"
  | "create_time"
> & {
  /** 1: the user must choose another password before anything else; absent: 0. */
  readonly password_expired?: 1;
  /** 1: the account of an organisation; absent: a person's. */
  readonly organisation?: 1;
};

/**
 * Inserts a user. Returns undefined, without inserting, if the invite code is taken, or if the
 * username is, also in a form that people read as the same.
 */
export async function insertUser(tx: Db, user: NewUser): Promise<number | undefined> {
  const inserted = await tx
    .insertInto("users")
    .values({
      ...user,
      username_key: foldText(user.username),
      status: 1,
      email: "",
      github_id: "",
      oidc_id: "",
      wechat_id: "",
      telegram_id: "",
      linux_do_id: "",
      inviter_id: 0,
      access_token_lookup: null,
      DeletedAt: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted?.id;
}

/**
 * Reads a user's row and locks it until the transaction ends. Undefined when there is no such user,
 * it is deleted, or it is the account of an organisation.
 */
export async function lockUser(
  tx: Db,
  who: { readonly id: number } | { readonly username: string },
): Promise<UserRow | undefined> {
  const query = tx
    .selectFrom("users")
    .selectAll()
    .where("DeletedAt", "is", null)
    .where("organisation", "=", 0);
  return await lockRows(
    tx,
    "id" in who ? query.where("id", "=", who.id) : query.where("username", "=", who.username),
  ).executeTakeFirst();
}

export async function updateUser(
  tx: Db,
  id: number,
  columns: Updateable<UserTable>,
): Promise<void> {
  if (Object.keys(columns).length === 0) return;
  await tx.updateTable("users").set(columns).where("id", "=", id).execute();
}

const viewColumns = ["id", "username", "role", "status", "moving", "group", "DeletedAt"] as const;

export type UserViewRow = Pick<UserRow, (typeof viewColumns)[number]>;

/** Loads the users in `ids`, including deleted ones. */
export async function loadUsers(db: Db, ids: readonly number[]): Promise<UserViewRow[]> {
  if (ids.length === 0) return [];
  return await db.selectFrom("users").select(viewColumns).where("id", "in", ids).execute();
}

/** The most users that one statement reads. */
const loadedMax = 5_000;

/**
 * Loads the next users after an id who can call by a key, and administrators; none: there are no
 * more. Users who are deleted are left out.
 */
export async function loadUsersAfter(db: Db, after: number): Promise<UserViewRow[]> {
  return await db
    .selectFrom("users")
    .select(viewColumns)
    .where("id", ">", after)
    .where("DeletedAt", "is", null)
    .where(({ eb, or, selectFrom }) => {
      // Not `exists`: for each page PostgreSQL would read the keys of all users.
      const key = selectFrom("tokens")
        .select("tokens.id")
        .whereRef("tokens.user_id", "=", "users.id")
        .where("tokens.DeletedAt", "is", null)
        .limit(1);
      return or([eb("role", ">=", role.enum.admin), eb(key, "is not", null)]);
    })
    .orderBy("id")
    .limit(loadedMax)
    .execute();
}
