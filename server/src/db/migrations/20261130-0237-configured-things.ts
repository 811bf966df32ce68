import type { Kysely } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds what the last applied document of configuration owns. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await wholes(createTable(db, dialect, "configured_things"), wholeType(dialect), ["applied_at"])
    .$call(texts("kind", "name", "fields", "source"))
    .addPrimaryKeyConstraint("configured_things_key", ["kind", "name"] as never[])
    .execute();
}
