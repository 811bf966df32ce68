import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { wholes } from "./20261121-1500-foundation.ts";

export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await wholes(createTable(db, dialect, "affiliates"), wholeType(dialect), [
    "user_id",
    "aff_count",
    "aff_quota",
    "aff_history_quota",
  ])
    .addPrimaryKeyConstraint("affiliates_key", ["user_id"] as never[])
    .addCheckConstraint("affiliates_earned", sql`aff_quota <= aff_history_quota`)
    .execute();
}
