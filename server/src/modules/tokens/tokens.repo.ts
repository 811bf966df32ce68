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
import { packRows } from "#base/memory/packed-rows.ts";
import type { Database, Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { TokenNameTable, TokenTable } from "#db/tables/tokens.ts";
import { contains, startsWith } from "#db/text-search.ts";
import { defaultSettings, settingNames, shownSettings } from "./setting-columns.ts";

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

/** What most tokens have, which their texts leave out. */
const usualColumns: Partial<TokenViewRow> = {
  old_lookup: "",
  old_hint: "",
  old_ends_at: 0,
  status: 1,
  ...defaultSettings,
};

/** A character of one byte for the dots of a mask, which would double the memory of the text. */
const dots = "••••";
const packedDots = "\u00a6";

/** A token as the relay's snapshot keeps it; `packed` is empty if it was deleted. */
type PackedToken = {
  readonly id: number;
  readonly lookups: readonly string[];
  readonly packed: string;
};

function pack(row: TokenViewRow): PackedToken {
  const { id, lookup, old_lookup } = row;
  const { DeletedAt: _, lookup: __, ...shown } = row;
  const short = {
    ...shown,
    hint: row.hint.replace(dots, packedDots),
    old_hint: row.old_hint.replace(dots, packedDots),
  };
  const usual: Readonly<Record<string, unknown>> = usualColumns;
  const other = Object.entries(short).filter(([name, value]) => value !== usual[name]);
  const packed = JSON.stringify(Object.fromEntries(other));
  return {
    id,
    lookups: old_lookup === "" ? [lookup] : [lookup, old_lookup],
    packed: row.DeletedAt === null ? packed : "",
  };
}

/** Reads a token from its text. @param lookup the hash of its key. */
export function unpack(packed: string, lookup: string): TokenViewRow {
  // Safe cast: `pack` wrote every column that is not usual.
  const row = { ...usualColumns, ...JSON.parse(packed), lookup, DeletedAt: null } as TokenViewRow;
  const { hint, old_hint } = row;
  return {
    ...row,
    hint: hint.replace(packedDots, dots),
    old_hint: old_hint.replace(packedDots, dots),
  };
}

/** Loads the tokens in `ids`, including deleted ones. */
export async function loadTokens(db: Db, ids: readonly number[]): Promise<PackedToken[]> {
  if (ids.length === 0) return [];
  const query = db.selectFrom("tokens").select(viewColumns).where("id", "in", ids);
  return (await query.execute()).map(pack);
}

/**
 * The most tokens that one statement reads. A statement that read all of a million would exceed its
 * time limit on a busy machine.
 */
const loadedMax = 5_000;

/** `last` is the id of the last token; 0: there are no more. */
type PackedPage = { readonly last: number; readonly rows: Uint8Array };

/** Loads the next tokens after an id that are not deleted, as rows of `packed-rows.ts`. */
export async function loadTokensAfter(db: Db, after: number): Promise<PackedPage> {
  const rows = await db
    .selectFrom("tokens")
    .select(viewColumns)
    .where("id", ">", after)
    .where("DeletedAt", "is", null)
    .orderBy("id")
    .limit(loadedMax)
    .execute();
  const packed = rows.map((row) => {
    const { id, lookups, packed: text } = pack(row);
    return { id, keys: lookups, text };
  });
  return { last: rows.at(-1)?.id ?? 0, rows: packRows(packed) };
}

/** Finds a token that is not deleted by the hash of its key, or of a key that was replaced. */
export async function findByLookup(db: Db, lookup: string): Promise<PackedToken | undefined> {
  const query = db.selectFrom("tokens").select(viewColumns).where("DeletedAt", "is", null);
  const row =
    (await query.where("lookup", "=", lookup).executeTakeFirst()) ??
    (await query.where("old_lookup", "=", lookup).where("old_lookup", "<>", "").executeTakeFirst());
  return row === undefined ? undefined : pack(row);
}

/** Whether there are more tokens than `most` that are not deleted. */
export async function hasMoreTokens(db: Db, most: number): Promise<boolean> {
  const found = await db
    .selectFrom("tokens")
    .select("id")
    .where("DeletedAt", "is", null)
    .orderBy("id")
    .limit(1)
    .offset(most)
    .executeTakeFirst();
  return found !== undefined;
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
