import type { Kysely } from "kysely";
import { addId, createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds orders, what processors said about them, and when they are asked next. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(addId(dialect, createTable(db, dialect, "orders")), whole, [
    "user_id",
    "quota",
    "money",
    "created_at",
    "expires_at",
    "paid_at",
    "late",
  ])
    .addColumn("number", "text", (column) => column.notNull().unique())
    .$call(texts("processor", "method", "amount", "currency", "price", "group", "group_ratio"))
    .$call(texts("discount", "quota_per_unit", "top_up_code", "hash", "external_id"))
    .execute();
  await index(db, "orders", ["user_id", "id"]);
  await wholes(createTable(db, dialect, "order_polls"), whole, ["order_id", "next_at", "tries"])
    .addPrimaryKeyConstraint("order_polls_key", ["order_id"] as never[])
    .execute();
  await index(db, "order_polls", ["next_at"]);
  await wholes(addId(dialect, createTable(db, dialect, "order_events")), whole, [
    "order_id",
    "created_at",
  ])
    .$call(texts("source", "verdict", "raw", "client_ip"))
    .execute();
  await index(db, "order_events", ["order_id", "id"]);
}
