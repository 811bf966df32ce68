/**
 * Gives rows of versions before there were endings theirs, and the sums of them. The migration
 * only notes that this is to be done, because a start must not wait until a whole log is read. It is
 * done in pieces beside calls, each of which begins where the last one ended, once the last process
 * of such a version has ended: until then it writes further rows without endings.
 */

import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { noteEndings } from "./ending-hours.repo.ts";
import { endingOf } from "./ending.ts";

/**
 * The rows of `meta` with the last id that was looked at, and with the processes that ran at the
 * migration, with commas between them. There is none once it is done.
 */
const doneKey = "endings_done";
const nodesKey = "endings_nodes";

/** The types of rows that may have an ending: charged calls, and those that failed. */
const callTypes = [2, 5];

/** A piece of the log. */
type EarlierPiece = {
  /** The id behind which the piece begins, and its last id. */
  readonly after: number;
  readonly upTo: number;
  readonly isLast: boolean;
  /** The rows of it that have an ending. */
  readonly ids: readonly number[];
};

/** How large a piece is: ids that are looked at, and rows that get an ending. */
type Size = { readonly ids: number; readonly rows: number };

/** Finds the next piece; null: nothing is left; `later`: a process of an earlier version runs. */
export async function findEarlierEndings(
  db: Db,
  size: Size,
): Promise<EarlierPiece | "later" | null> {
  const after = await readDone(db);
  if (after === null) return null;
  if (await hasEarlierNode(db)) return "later";
  // Each by itself: SQLite finds only one of them by the key, and reads the whole log for both.
  const first = await readId(db, after, "asc");
  const last = await readId(db, after, "desc");
  if (first === null || last === null) return { after, upTo: after, isLast: true, ids: [] };
  const end = Math.min(first + size.ids - 1, last);
  const rows = await db
    .selectFrom("logs")
    .select(["id", "type", "content"])
    .where("id", ">=", first)
    .where("id", "<=", end)
    .where("ending", "=", "")
    .where("type", "in", callTypes)
    .orderBy("id")
    .execute();
  // That a call failed is enough to know here that its row has an ending.
  const lacking = rows.filter((row) => endingOf({ ...row, other: "" }) !== "");
  const ids = lacking.slice(0, size.rows).map(({ id }) => id);
  const upTo = ids.length === size.rows ? (ids.at(-1) ?? end) : end;
  return { after, upTo, isLast: upTo === last, ids };
}

/** Notes the endings of a piece, unless another node has done so. */
export async function noteEarlierEndings(tx: Db, piece: EarlierPiece): Promise<void> {
  const { after, upTo, isLast, ids } = piece;
  const query = tx.selectFrom("meta").select("value").where("key", "=", doneKey);
  const row = await lockRows(tx, query).executeTakeFirst();
  if (row?.value !== String(after)) return;
  await noteRows(tx, ids);
  if (isLast) {
    await tx.deleteFrom("meta").where("key", "in", [doneKey, nodesKey]).execute();
    return;
  }
  await tx
    .updateTable("meta")
    .set({ value: String(upTo) })
    .where("key", "=", doneKey)
    .execute();
}

/** Notes the endings of rows that are about to be removed, which the sums keep. */
export async function noteBeforeRemoval(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0 && (await readDone(tx)) !== null) await noteRows(tx, ids);
}

async function noteRows(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  // Locked, so that a charge which is given back meanwhile is in no sum; see `dropEndings`.
  const query = tx
    .selectFrom("logs")
    .select(["id", "type", "created_at", "user_id", "token_id", "channel", "model_name"])
    .select(["group", "content", "other", "reversed", "ending"])
    .where("id", "in", [...ids])
    .orderBy("id");
  const rows = await lockRows(tx, query).execute();
  const lacking = rows.filter((row) => row.ending === "" && endingOf(row) !== "");
  const byEnding = new Map<string, number[]>();
  for (const row of lacking) {
    const ending = endingOf(row);
    byEnding.set(ending, [...(byEnding.get(ending) ?? []), row.id]);
  }
  for (const [ending, of] of byEnding) {
    await tx.updateTable("logs").set({ ending }).where("id", "in", of).execute();
  }
  await noteEndings(
    tx,
    lacking.filter(({ reversed }) => reversed === 0),
  );
}

async function readDone(db: Db): Promise<number | null> {
  const row = await readMeta(db, doneKey);
  return row === undefined ? null : Number(row.value);
}

/** Reads the first or the last id behind another one; null: there is none. */
async function readId(db: Db, after: number, order: "asc" | "desc"): Promise<number | null> {
  const row = await db
    .selectFrom("logs")
    .select("id")
    .where("id", ">", after)
    .orderBy("id", order)
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

async function hasEarlierNode(db: Db): Promise<boolean> {
  const row = await readMeta(db, nodesKey);
  const ids = (row?.value ?? "").split(",");
  const found = await db.selectFrom("nodes").select("id").where("id", "in", ids).execute();
  return found.length > 0;
}

async function readMeta(db: Db, key: string) {
  return await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst();
}
