import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { wholes } from "./20261121-1500-foundation.ts";

/** Stores which users are being notified, so that another node goes on when one dies. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "broadcast_receivers"), whole, [
    "broadcast_id",
    "user_id",
    "claimed_at",
  ])
    .addPrimaryKeyConstraint("broadcast_receivers_key", ["broadcast_id", "user_id"] as never[])
    .execute();
  await db.schema
    .alterTable("quota_warnings")
    .addColumn("is_sent", whole, (column) =>
      column
        .notNull()
        .defaultTo(1)
        .check(sql`is_sent between 0 and 1`),
    )
    .execute();
}
