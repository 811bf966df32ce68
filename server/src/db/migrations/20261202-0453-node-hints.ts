import type { Kysely } from "kysely";
import { addId, createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds what nodes tell one another of the health of channels; it is removed after a minute. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(addId(dialect, createTable(db, dialect, "node_hints")), whole, ["at"])
    .$call(texts("node_id", "hints"))
    .execute();
  await db.schema.createIndex("node_hints_at").on("node_hints").column("at").execute();
}
