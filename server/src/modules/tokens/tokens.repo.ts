/** All queries on the table `tokens`. Queries with an `owner` find only this user's tokens. */

import { type Token, tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import {
  type Insertable,
  type SelectQueryBuilder,
  type Selectable,
  sql,
  type Updateable,
} from "kysely";
import type { Database, Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { TokenNameTable, TokenTable } from "#db/tables/tokens.ts";
import { contains, startsWith } from "#db/text-search.ts";
import { settingNames, shownSettings } from "./setting-columns.ts";

export type TokenRow = Selectable<TokenTable>;

/** Id of the user whose tokens a query may find; null: the query may find all users' tokens. */
export type Owner = number | null;

function selectTokens(db: Db, owner: Owner) {
  const query = db
    .selectFrom("tokens")
    .innerJoin("token_balances", "token_balances.token_id", "tokens.id")
    .leftJoin("users", "users.id", "tokens.user_id")
    .select([
      "tokens.id",
      "tokens.user_id",
      "tokens.hint",
      "tokens.old_hint",
      "tokens.old_ends_at",
      "tokens.status",
      "tokens.created_time",
      "tokens.accessed_time",
      ...settingNames.map((name) => `tokens.${name}` as const),
      "token_balances.remain as remain_quota",
      "users.username",
    ])
    .select((eb) =>
      // With what a token was used for before it was imported.
      eb(
        "token_balances.used",
        "+",
        eb.fn.coalesce(
          eb
            .selectFrom("opening_counters")
            .select("opening_counters.used_quota")
            .where("opening_counters.kind", "=", "token")
            .whereRef("opening_counters.id", "=", "tokens.id"),
          eb.lit(0),
        ),
      ).as("used_quota"),
    )
    .where("tokens.DeletedAt", "is", null);
  return owner === null ? query : query.where("tokens.user_id", "=", owner);
}

type Joined = NonNullable<Awaited<ReturnType<typeof findJoined>>>;

async function findJoined(db: Db, id: number, owner: Owner) {
  return await selectTokens(db, owner).where("tokens.id", "=", id).executeTakeFirst();
}

/**
 * Returns a token in the form in which the API shows it, without what is spent of its budgets.
 * Contains the owner's name only if the query was for all users' tokens.
 */
function show({ hint, old_hint, old_ends_at, username, ...row }: Joined, owner: Owner): Token {
  return {
    ...row,
    ...shownSettings(row),
    key: hint,
    old_key: old_hint,
    old_key_ends_at: old_ends_at,
    budgets: [],
    status: tokenStatus.parse(row.status),
    DeletedAt: null,
    ...(owner === null ? { username: username ?? "" } : {}),
  };
}

export async function findToken(db: Db, id: number, owner: Owner): Promise<Token | undefined> {
  const row = await findJoined(db, id, owner);
  return row === undefined ? undefined : show(row, owner);
}

/** Which tokens a list shows. A filter that is empty matches every token. */
export type TokenFilter = {
  readonly keyword: string;
  /** Matches tokens of users whose names contain this text. */
  readonly username: string;
  /** Matches tokens whose masked key, as lists show it, contains this text. */
  readonly shown: string;
  /**
   * Keyed hash of a text that may be a whole key. Matches the token with this key; a token is found
   * if it matches this or `shown`.
   */
  readonly lookup: string;
};

export const anyToken: TokenFilter = { keyword: "", username: "", shown: "", lookup: "" };

export type TokenPage = { readonly items: Token[]; readonly total: number };

/** Reads one page of tokens, newest first. */
export async function pageTokens(
  db: Db,
  owner: Owner,
  filter: TokenFilter,
  { page, page_size }: PageWindow,
): Promise<TokenPage> {
  // The first query reads only `tokens`, and finds the ids of the page and the total. The other
  // tables are then joined for the rows of this page only.
  const found = await matching(living(db, owner), filter)
    .select((eb) => ["tokens.id", eb.fn.countAll<number>().over().as("total")])
    .orderBy("tokens.id", "desc")
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute();
  const [first] = found;
  if (first === undefined) return { items: [], total: await count(db, owner, filter) };
  const rows = await selectTokens(db, owner)
    .where(
      "tokens.id",
      "in",
      found.map(({ id }) => id),
    )
    .orderBy("tokens.id", "desc")
    .execute();
  return { items: rows.map((row) => show(row, owner)), total: first.total };
}

function living(db: Db, owner: Owner) {
  const query = db.selectFrom("tokens").where("tokens.DeletedAt", "is", null);
  return owner === null ? query : query.where("tokens.user_id", "=", owner);
}

async function count(db: Db, owner: Owner, filter: TokenFilter): Promise<number> {
  const query = living(db, owner).select((eb) => eb.fn.countAll<number>().as("total"));
  return (await matching(query, filter).executeTakeFirstOrThrow()).total;
}

function matching<Tables extends "tokens", Row>(
  query: SelectQueryBuilder<Database, Tables, Row>,
  { keyword, username, shown, lookup }: TokenFilter,
): SelectQueryBuilder<Database, Tables, Row> {
  const named = endOfKey.test(keyword)
    ? sql<boolean>`(${contains("tokens.name", keyword)} or ${contains("tokens.hint", `••••${keyword}`)})`
    : sql<boolean>`${contains("tokens.name", keyword)}`;
  const keyed = sql<boolean>`(${sql.ref("tokens.lookup")} = ${lookup}
    or (${sql.ref("tokens.old_lookup")} = ${lookup} and ${lookup} <> '')
    or ${maskedLike(shown)})`;
  const owned = sql<boolean>`tokens.user_id in (
    select id from users where ${contains("users.username", username)})`;
  const byOwner = username === "" ? query : query.where(owned);
  const narrowed = keyword === "" ? byOwner : byOwner.where(named);
  return shown === "" ? narrowed : narrowed.where(keyed);
}

/** What a mask shows of a key's end. */
const endOfKey = /^[0-9A-Za-z]{4}$/;

/** True for tokens whose mask contains a text, or shows what another mask of the same key shows. */
function maskedLike(shown: string) {
  const [start = "", end] = shown.split(/\*{2,}|…|\.{3}/);
  if (end === undefined || start === "" || end === "") return contains("tokens.hint", shown);
  return sql`(${startsWith("tokens.hint", start)} and ${contains("tokens.hint", end)})`;
}

export async function insertToken(tx: Db, row: Insertable<TokenTable>): Promise<number> {
  const { id } = await tx
    .insertInto("tokens")
    .values(row)
    .returning("id")
    .executeTakeFirstOrThrow();
  await keepName(tx, { token_id: id, user_id: row.user_id, name: row.name });
  return id;
}

/** Keeps a name of a token, by which the log finds the token's rows also after it is renamed. */
async function keepName(tx: Db, name: Insertable<TokenNameTable>): Promise<void> {
  await tx
    .insertInto("token_names")
    .values(name)
    .onConflict((conflict) => conflict.columns(["name", "token_id"]).doNothing())
    .execute();
}

export async function countOwn(db: Db, userId: number): Promise<number> {
  return await count(db, userId, anyToken);
}

/** Reads a token's row and locks it until the transaction ends. */
export async function lockToken(tx: Db, id: number, owner: Owner): Promise<TokenRow | undefined> {
  const query = tx
    .selectFrom("tokens")
    .selectAll()
    .where("id", "=", id)
    .where("DeletedAt", "is", null);
  return await lockRows(
    tx,
    owner === null ? query : query.where("user_id", "=", owner),
  ).executeTakeFirst();
}

export async function updateToken(
  tx: Db,
  id: number,
  columns: Updateable<TokenTable>,
): Promise<void> {
  if (Object.keys(columns).length === 0) return;
  await tx.updateTable("tokens").set(columns).where("id", "=", id).execute();
  if (columns.name === undefined) return;
  const { name, user_id } = await tx
    .selectFrom("tokens")
    .select(["name", "user_id"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  await keepName(tx, { token_id: id, user_id, name });
}

const viewColumns = [
  "id",
  "user_id",
  "lookup",
  "hint",
  "old_lookup",
  "old_hint",
  "old_ends_at",
  "status",
  "DeletedAt",
  ...settingNames,
] as const;

export type TokenViewRow = Pick<TokenRow, (typeof viewColumns)[number]>;

/**
 * Loads the tokens in `ids`, including deleted ones. If `ids` is null, loads all that are not
 * deleted.
 */
export async function loadTokens(db: Db, ids: readonly number[] | null): Promise<TokenViewRow[]> {
  const query = db.selectFrom("tokens").select(viewColumns);
  if (ids === null) return await query.where("DeletedAt", "is", null).execute();
  return ids.length === 0 ? [] : await query.where("id", "in", ids).execute();
}

/** Stores when tokens were last used, in Unix seconds. A stored time is never set back. */
export async function touchTokens(
  tx: Db,
  used: readonly { readonly id: number; readonly accessed_time: number }[],
): Promise<void> {
  for (const { id, accessed_time } of used) {
    await tx
      .updateTable("tokens")
      .set({ accessed_time })
      .where("id", "=", id)
      .where("accessed_time", "<", accessed_time)
      .execute();
  }
}
