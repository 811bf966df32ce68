/** The queries on the tables of imports, and those by which an import finds what is here already. */

import type { Selectable } from "kysely";
import { foldText } from "#base/fold-text.ts";
import type { Db } from "#db/database.ts";
import type { ImportTable } from "#db/tables/imports.ts";

export type ImportRow = Selectable<ImportTable>;

export async function findImport(db: Db, name: string): Promise<ImportRow | undefined> {
  return await db.selectFrom("imports").selectAll().where("name", "=", name).executeTakeFirst();
}

export async function createImport(
  tx: Db,
  row: Pick<ImportRow, "created_at" | "follows" | "kind" | "name" | "source">,
): Promise<ImportRow> {
  return await tx
    .insertInto("imports")
    .values({ ...row, finished_at: 0, undone_at: 0 })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateImport(
  tx: Db,
  id: number,
  columns: Partial<Pick<ImportRow, "ended_at" | "finished_at" | "name" | "progress" | "undone_at">>,
): Promise<void> {
  await tx.updateTable("imports").set(columns).where("id", "=", id).execute();
}

export type ImportedRow = {
  readonly source_id: string;
  readonly target_id: number;
  readonly seen: string;
};

/** Finds which of the rows of a source are here already, by their ids there. */
export async function findImported(
  db: Db,
  importId: number,
  kind: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ImportedRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("imported_rows")
    .select(["source_id", "target_id", "seen"])
    .where("import_id", "=", importId)
    .where("kind", "=", kind)
    .where("source_id", "in", [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.source_id, row]));
}

/** Notes which row here a row of the source has become, or what the source says of it by now. */
export async function noteImported(
  tx: Db,
  importId: number,
  kind: string,
  row: ImportedRow,
): Promise<void> {
  await tx
    .insertInto("imported_rows")
    .values({ import_id: importId, kind, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(["import_id", "kind", "source_id"])
        .doUpdateSet({ seen: row.seen, target_id: row.target_id }),
    )
    .execute();
}

/** Counts the users of an import who cannot call here yet. */
export async function countMoving(db: Db, importId: number): Promise<number> {
  const { n } = await db
    .selectFrom("imported_rows")
    .innerJoin("users", "users.id", "imported_rows.target_id")
    .select((eb) => eb.fn.countAll<number | string>().as("n"))
    .where("import_id", "=", importId)
    .where("kind", "=", "user")
    .where("moving", "=", 1)
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Finds a user that an import has brought, by the name here or the id at the source. */
export async function findImportedUser(db: Db, importId: number, name: string) {
  return await db
    .selectFrom("imported_rows")
    .innerJoin("users", "users.id", "imported_rows.target_id")
    .select(["source_id", "target_id", "users.username"])
    .where("import_id", "=", importId)
    .where("kind", "=", "user")
    .where("moving", "=", 1)
    .where((eb) => eb.or([eb("users.username", "=", name), eb("source_id", "=", name)]))
    .limit(1)
    .executeTakeFirst();
}

/** Reads the next imported rows of a kind, in the order of their ids there. */
export async function pageImported(
  db: Db,
  importId: number,
  kind: string,
  after: string,
  limit: number,
): Promise<ImportedRow[]> {
  return await db
    .selectFrom("imported_rows")
    .select(["source_id", "target_id", "seen"])
    .where("import_id", "=", importId)
    .where("kind", "=", kind)
    .where("source_id", ">", after)
    .orderBy("source_id")
    .limit(limit)
    .execute();
}

export async function forgetImported(
  tx: Db,
  importId: number,
  kind: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .deleteFrom("imported_rows")
    .where("import_id", "=", importId)
    .where("kind", "=", kind)
    .where("source_id", "in", [...ids])
    .execute();
}

/**
 * Reads the folded names of users that have no key of their name, because another one has it. There
 * are few, and looking for them reads all users.
 */
export async function listUnkeyedNames(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("users")
    .select("username")
    .where("username_key", "is", null)
    .execute();
  return new Set(rows.map(({ username }) => foldText(username)));
}

/** Reads the names of users, by their ids. */
export async function listUserNames(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("users")
    .select(["id", "username"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}

/** Whether a user has this name, or one that folds to the same. */
export async function isNameKnown(db: Db, username: string): Promise<boolean> {
  const row = await db
    .selectFrom("users")
    .select("id")
    .where((eb) =>
      eb.or([eb("username_key", "=", foldText(username)), eb("username", "=", username)]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Names the groups of users, tokens and channels. */
export async function listUsedGroups(db: Db): Promise<string[]> {
  const users = await db.selectFrom("users").select("group").distinct().execute();
  const tokens = await db.selectFrom("tokens").select("group").distinct().execute();
  const channels = await db.selectFrom("channels").select("group").distinct().execute();
  const names = [...users, ...tokens, ...channels].flatMap(({ group }) => group.split(","));
  return [...new Set(names)].filter((name) => name !== "").toSorted();
}

/** Reads how many quota units are a dollar here; undefined: the option has its default. */
export async function readQuotaPerUnit(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom("options")
    .select("value")
    .where("key", "=", "QuotaPerUnit")
    .executeTakeFirst();
  return row?.value;
}

/** What an imported user has and has done here, by which an undo judges. */
export async function readUserState(db: Db, id: number) {
  return await db
    .selectFrom("users")
    .innerJoin("balances", "balances.user_id", "users.id")
    .select(["users.username", "users.group", "balances.balance", "balances.held", "balances.debt"])
    .select(["balances.used", "users.DeletedAt"])
    .where("users.id", "=", id)
    .executeTakeFirst();
}

/** Reads what users have here less what they owe, by their ids. */
export async function listNetBalances(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("balances")
    .select(["user_id", "balance", "debt"])
    .where("user_id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ user_id, balance, debt }) => [user_id, balance - debt]));
}

/** Reads what a token may still spend and has spent, and whose it is. */
export async function readTokenState(db: Db, id: number) {
  return await db
    .selectFrom("tokens")
    .innerJoin("token_balances", "token_balances.token_id", "tokens.id")
    .select(["tokens.user_id", "token_balances.remain", "token_balances.used", "tokens.DeletedAt"])
    .where("tokens.id", "=", id)
    .executeTakeFirst();
}

/** Counts the records of the journal that are not in the books. */
export async function countJournal(db: Db): Promise<number> {
  const { n } = await db
    .selectFrom("journal")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** Sums what an import has given to a user's balance, and what it has made the user owe. */
export async function sumOpenings(db: Db, userId: number, cause: string) {
  const { amount, debt } = await db
    .selectFrom("entries")
    .select((eb) => [eb.fn.sum("amount").as("amount"), eb.fn.sum("debt").as("debt")])
    .where("user_id", "=", userId)
    .where("kind", "=", "opening")
    .where((eb) => eb.or([eb("cause", "=", cause), eb("cause", "like", `${cause}:%`)]))
    .executeTakeFirstOrThrow();
  return { amount: Number(amount ?? 0), debt: Number(debt ?? 0) };
}

/** Reads what an import has given to a user's earnings, and what is there. */
export async function readEarnings(db: Db, userId: number, cause: string) {
  const given = await db
    .selectFrom("earning_entries")
    .select("amount")
    .where("user_id", "=", userId)
    .where("cause", "=", cause)
    .executeTakeFirst();
  const account = await db
    .selectFrom("earnings")
    .select("balance")
    .where("user_id", "=", userId)
    .where("account", "=", "invitations")
    .executeTakeFirst();
  return { given: given?.amount ?? 0, balance: account?.balance ?? 0 };
}

/** Whether calls went through a channel since it was imported. */
export async function isChannelUsed(db: Db, id: number): Promise<boolean> {
  const row = await db
    .selectFrom("counters")
    .select("request_count")
    .where("kind", "=", "channel")
    .where("id", "=", id)
    .executeTakeFirst();
  return (row?.request_count ?? 0) > 0;
}

/** Reads the prices of a version. */
export async function findPriceVersion(db: Db, id: number) {
  return await db.selectFrom("price_versions").selectAll().where("id", "=", id).executeTakeFirst();
}
