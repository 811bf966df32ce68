import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * Nodes get epochs, reservations the epoch they were taken in, and a call that ended with its
 * node's epoch is remembered, so that it is not charged later. No table that grows with calls is
 * read or written anew.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  // What an older version writes is of epoch 0, in both tables.
  for (const [table, name] of [
    ["nodes", "epoch"],
    ["reservations", "epoch"],
    ["nodes", "config_version"],
  ] as const) {
    await db.schema
      .alterTable(table)
      .addColumn(name, whole, (column) =>
        column
          .notNull()
          .defaultTo(0)
          .check(sql`${sql.ref(name)} between 0 and ${sql.lit(wholeMax)}`),
      )
      .execute();
  }
  // Makes the epoch part of a key, so that who changes it waits for those that rely on it, and a
  // heartbeat, which changes no key, waits for nobody.
  await db.schema
    .createIndex("nodes_epoch")
    .unique()
    .on("nodes")
    .columns(["id", "epoch"])
    .execute();
  await wholes(createTable(db, dialect, "interrupted_calls"), whole, ["log_id"])
    .addColumn("request_id", "text", (column) => column.notNull().primaryKey())
    .execute();
  await wholes(createTable(db, dialect, "setup_links"), whole, ["made_at"])
    .$call(texts("hash"))
    .addPrimaryKeyConstraint("setup_links_key", ["hash"] as never[])
    .execute();
  // Rows of calls up to here were written before each call had one.
  await sql`
    insert into meta (key, value)
    select 'one_row_per_call_after', cast(coalesce(max(id), 0) as text) from logs`.execute(db);
}
