import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * Adds what several nodes count together: attempts that guard accounts, passes of the bot check,
 * which nodes are shutting down, and when a scheduled round has last begun.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  // Nodes of an earlier version do not write this column: to them a node that leaves counts on.
  await db.schema
    .alterTable("nodes")
    .addColumn("draining", whole, (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`draining between 0 and 1`),
    )
    .execute();
  await wholes(createTable(db, dialect, "attempts"), whole, ["ends_at"])
    .$call(texts("rule", "key", "counters"))
    .addPrimaryKeyConstraint("attempts_key", ["rule", "key"] as never[])
    .execute();
  await db.schema.createIndex("attempts_ends_at").on("attempts").column("ends_at").execute();
  await wholes(createTable(db, dialect, "bot_passes"), whole, ["expires_at", "uses_left"])
    .$call(texts("id"))
    .addPrimaryKeyConstraint("bot_passes_key", ["id"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "round_times"), whole, ["begun_at"])
    .$call(texts("name"))
    .addPrimaryKeyConstraint("round_times_key", ["name"] as never[])
    .execute();
}
