import type { Kysely } from "kysely";
import { addId, createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds redemption codes. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const table = addId(dialect, createTable(db, dialect, "redemptions"));
  await wholes(table, wholeType(dialect), [
    "user_id",
    "quota",
    "status",
    "user_limit",
    "expired_time",
    "created_time",
    "redeemed_time",
    "used_user_id",
  ])
    .addColumn("lookup", "text", (column) => column.notNull().unique())
    .$call(texts("name", "sealed", "group", "batch_id"))
    .addColumn("DeletedAt", "text")
    .execute();
  await index(db, "redemptions", ["used_user_id", "batch_id"]);
}
