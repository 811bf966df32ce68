import type { Kysely } from "kysely";
import { addId, createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * Adds what was imported from other gateways: from where, which row of a source became which row
 * here, and the counters with which imported rows began.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(addId(dialect, createTable(db, dialect, "imports")), whole, [
    "created_at",
    "finished_at",
    "undone_at",
  ])
    .$call(texts("name", "kind", "source"))
    .addUniqueConstraint("imports_name", ["name"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "imported_rows"), whole, ["import_id", "target_id"])
    .$call(texts("kind", "source_id", "seen"))
    .addPrimaryKeyConstraint("imported_rows_key", ["import_id", "kind", "source_id"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "opening_counters"), whole, [
    "id",
    "used_quota",
    "request_count",
  ])
    .$call(texts("kind"))
    .addPrimaryKeyConstraint("opening_counters_key", ["kind", "id"] as never[])
    .execute();
}
