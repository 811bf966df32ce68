/**
 * Prices. A version is the whole list, immutable, and every charged call names the version it was
 * charged by. Versions are chained by hash, so that no past price can be altered unseen.
 */

import { createHash } from "node:crypto";
import { type PriceList, priceList } from "@tollgate/contract/charge.ts";
import { defaultPriceList } from "@tollgate/contract/default-prices.ts";
import type { Selectable } from "kysely";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import type { PriceVersionTable } from "#db/tables/options.ts";

export type PriceVersionRow = Selectable<PriceVersionTable>;

/** A version as it is hashed: every column but the hash itself. */
type HashedPriceVersion = Omit<PriceVersionRow, "hash">;

/** Hash "before" the first version. */
const chainStart = "";

/** Hex SHA-256 over the previous version's hash and the fields, as JSON text in this order. */
export function priceVersionHash(previous: string, version: HashedPriceVersion): string {
  const text = JSON.stringify([
    previous,
    version.id,
    version.starts_at,
    version.content,
    version.created_by,
    version.created_at,
  ]);
  return createHash("sha256").update(text).digest("hex");
}

/** The list of a row; undefined when somebody wrote a row that holds none. */
export function parsePrices(
  row: Pick<PriceVersionRow, "id" | "content">,
): { readonly id: number; readonly list: PriceList } | undefined {
  try {
    return { id: row.id, list: priceList.parse(JSON.parse(row.content)) };
  } catch {
    return undefined;
  }
}

/** Versions looked at for one that holds a list, newest first. */
const lookBackMax = 50;

/**
 * The version in force: the newest that holds a price list. Only somebody who writes to the table
 * makes one that holds none; it is ignored, and the proof of the ledger names it.
 * Undefined before the installation made the first.
 */
export async function findPrices(db: Db): Promise<PriceVersionRow | undefined> {
  const rows = await newest(db, lookBackMax);
  return rows.find((row) => parsePrices(row) !== undefined);
}

async function newest(db: Db, count: number): Promise<PriceVersionRow[]> {
  return await db
    .selectFrom("price_versions")
    .selectAll()
    .orderBy("id", "desc")
    .limit(count)
    .execute();
}

/** Makes the first version, of the default prices; does nothing when there is one. */
export async function installPrices(tx: Db, nowMs: number): Promise<void> {
  await recordChange(tx, "prices", 0);
  if ((await findPrices(tx)) !== undefined) return;
  const [last] = await newest(tx, 1);
  await insertVersion(tx, last, { list: defaultPriceList, createdBy: 0, nowMs });
}

type PriceChange = {
  /** Parts of the list to put in place of the present ones. */
  readonly parts: Partial<PriceList>;
  /** Id of the user who changes it. */
  readonly createdBy: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Derives a version from the one in force. Changes that arrive at once follow one another, each
 * from the one before it: so none is lost.
 *
 * @returns the lists before and after; a change that changes nothing makes no version.
 */
export async function changePrices(
  tx: Db,
  { parts, createdBy, nowMs }: PriceChange,
): Promise<{ readonly before: PriceList; readonly after: PriceList }> {
  // Recorded first, because the lock of its row is what makes the changes follow one another.
  await recordChange(tx, "prices", 0);
  const row = await findPrices(tx);
  const present = row === undefined ? undefined : parsePrices(row);
  if (row === undefined || present === undefined) throw new Error("no price version in force");
  const after = priceList.parse({ ...present.list, ...parts });
  if (JSON.stringify(after) !== JSON.stringify(present.list)) {
    const [last] = await newest(tx, 1);
    await insertVersion(tx, last, { list: after, createdBy, nowMs });
  }
  return { before: present.list, after };
}

async function insertVersion(
  tx: Db,
  previous: PriceVersionRow | undefined,
  made: { readonly list: PriceList; readonly createdBy: number; readonly nowMs: number },
): Promise<void> {
  // Never before its predecessor, also when the clock was set back.
  const starts_at = Math.max(made.nowMs, previous?.starts_at ?? 0);
  const content = JSON.stringify(made.list);
  const version = { starts_at, content, created_by: made.createdBy, created_at: made.nowMs };
  const { id } = await tx
    .insertInto("price_versions")
    .values({ ...version, hash: "" })
    .returning("id")
    .executeTakeFirstOrThrow();
  // The hash covers the id, which the insert gave.
  await tx
    .updateTable("price_versions")
    .set({ hash: priceVersionHash(previous?.hash ?? chainStart, { id, ...version }) })
    .where("id", "=", id)
    .execute();
}
