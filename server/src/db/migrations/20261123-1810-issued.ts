import type { Kysely } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds which channel has issued what clients send back. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await wholes(createTable(db, dialect, "issued"), wholeType(dialect), [
    "user_id",
    "channel_id",
    "day",
  ])
    .addColumn("mark", "text", (column) => column.notNull().primaryKey())
    .$call(texts("key_mark"))
    .execute();
  await db.schema.createIndex("issued_day").on("issued").column("day").execute();
}
