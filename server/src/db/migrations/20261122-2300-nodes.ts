import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * Adds epochs to nodes and reservations, and a table of the calls that ended with their node's
 * epoch, so that they are not charged later. No table that grows with calls is rewritten.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  // In rows that an older version of the server writes, these columns are 0, because that version
  // does not know them.
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
  // Makes the epoch part of a key of `nodes`. PostgreSQL then lets a change of the epoch wait for
  // transactions that lock the key, while a heartbeat, which changes no key, waits for none.
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
  // Stores the id of the newest log row. Rows up to it are from a time when a call could have more
  // than one row.
  await sql`
    insert into meta (key, value)
    select 'one_row_per_call_after', cast(coalesce(max(id), 0) as text) from logs`.execute(db);
}
