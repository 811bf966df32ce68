import type { Kysely } from "kysely";
import { addId, createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds refunds of orders. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await wholes(addId(dialect, createTable(db, dialect, "order_refunds")), wholeType(dialect), [
    "order_id",
    "money",
    "quota",
    "created_by",
    "created_at",
    "ended_at",
  ])
    .$call(texts("state", "reason", "answer"))
    .execute();
  await index(db, "order_refunds", ["order_id"]);
}
