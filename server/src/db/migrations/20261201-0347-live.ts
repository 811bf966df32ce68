import type { Kysely } from "kysely";
import { addId, createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds what nodes tell each other of running calls, and of those to stop. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "live_nodes"), whole, [
    "at",
    "watches_until",
    "total",
    "is_draining",
  ])
    .addColumn("node_id", "text", (column) => column.primaryKey())
    .$call(texts("name", "calls"))
    .execute();
  await wholes(addId(dialect, createTable(db, dialect, "live_stops")), whole, ["created_at"])
    .$call(texts("body"))
    .execute();
  await wholes(createTable(db, dialect, "live_stop_answers"), whole, ["stop_id", "calls"])
    .$call(texts("node_id"))
    .addPrimaryKeyConstraint("live_stop_answers_key", ["stop_id", "node_id"] as never[])
    .execute();
}
