import type { Kysely } from "kysely";
import { addId, createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds lists of prices that others publish, what syncs would change, and bills that are compared. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(addId(dialect, createTable(db, dialect, "price_sources")), whole, [
    "every_hours",
    "next_at",
    "synced_at",
    "created_at",
  ])
    .$call(texts("name", "kind", "url", "rules", "error"))
    .execute();
  await wholes(addId(dialect, createTable(db, dialect, "price_drafts")), whole, [
    "source_id",
    "created_at",
    "created_by",
    "waiting",
    "accepted",
    "refused",
    "faults",
  ])
    .$call(texts("source_name", "kind", "state", "content"))
    .execute();
  await index(db, "price_drafts", ["source_id"]);
  await wholes(addId(dialect, createTable(db, dialect, "bills")), whole, [
    "created_by",
    "created_at",
  ]).execute();
  await wholes(createTable(db, dialect, "bill_parts"), whole, ["bill_id", "place"])
    .$call(texts("text"))
    .addPrimaryKeyConstraint("bill_parts_key", ["bill_id", "place"] as never[])
    .execute();
}
