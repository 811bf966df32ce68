import { type Kysely, sql } from "kysely";
import { addId, createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

/** The columns of a re-rate that may be below 0: sums of differences. */
const differences = ["expected", "skipped", "gone"] as const;

/**
 * Adds previews of prices that every node can answer, re-rates of past calls with what each has
 * changed for its users, and to log rows what re-rates have added to their charge.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "price_previews"), whole, [
    "days",
    "starts_at",
    "ends_at",
    "version",
    "done",
    "about",
    "begun_at",
    "beat_at",
  ])
    .addColumn("id", "text", (column) => column.primaryKey())
    .$call(texts("state", "message", "plan", "result"))
    .execute();
  await createRerates(db, dialect);
  await db.schema
    .alterTable("logs")
    .addColumn("rerated", whole, (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`rerated between ${sql.lit(-wholeMax)} and ${sql.lit(wholeMax)}`),
    )
    .execute();
}

async function createRerates(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  const rerates = wholes(addId(dialect, createTable(db, dialect, "rerates")), whole, [
    "undoes",
    "version",
    "starts_at",
    "ends_at",
    "last_log",
    "as_of",
    "may_owe",
    "created_at",
    "created_by",
    "finished_at",
    "calls",
    "done",
    "changed",
    "raised",
    "lowered",
    "owed",
    "skipped_calls",
    "gone_calls",
    "at_time",
    "at_id",
    "told",
    "claimed_until",
  ]).$call(texts("state", "preview", "reason", "notice", "claimed_by"));
  await differences
    .reduce(
      (table, name) =>
        // Safe cast: the builder's type cannot list these columns.
        table.addColumn(name, whole, (column) =>
          column
            .notNull()
            .check(sql`${sql.ref(name)} between ${sql.lit(-wholeMax)} and ${sql.lit(wholeMax)}`),
        ) as typeof table,
      rerates,
    )
    .execute();
  await index(db, "rerates", ["state"]);
  const users = wholes(createTable(db, dialect, "rerate_users"), whole, [
    "rerate_id",
    "user_id",
    "changed",
    "raised",
    "lowered",
    "owed",
    "skipped_calls",
    "skipped",
  ]);
  await users
    .addPrimaryKeyConstraint("rerate_users_key", ["rerate_id", "user_id"] as never[])
    .execute();
}
