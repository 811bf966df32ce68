import type { Kysely } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds the marks of the start page. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await wholes(createTable(db, dialect, "checklist_marks"), wholeType(dialect), [
    "user_id",
    "marked_at",
  ])
    .$call(texts("name"))
    .addPrimaryKeyConstraint("checklist_marks_key", ["user_id", "name"] as never[])
    .execute();
}
