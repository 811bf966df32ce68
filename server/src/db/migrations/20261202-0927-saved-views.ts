import type { Kysely } from "kysely";
import { addId, createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds saved views of lists. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await wholes(addId(dialect, createTable(db, dialect, "saved_views")), wholeType(dialect), [
    "user_id",
  ])
    .$call(texts("list", "name", "body"))
    .addUniqueConstraint("saved_views_key", ["user_id", "list", "name"] as never[])
    .execute();
}
