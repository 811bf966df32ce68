import { type Kysely, sql } from "kysely";
import { type Dialect, wholeMax, wholeType } from "#db/dialect.ts";

/** Adds the key that was replaced last to each token, which may be used until it ends. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  for (const name of ["old_lookup", "old_hint"]) {
    await db.schema
      .alterTable("tokens")
      .addColumn(name, "text", (column) => column.notNull().defaultTo(""))
      .execute();
  }
  await db.schema
    .alterTable("tokens")
    .addColumn("old_ends_at", wholeType(dialect), (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`old_ends_at between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
  // The log finds the rows of a token by either of its keys.
  await db.schema
    .createIndex("tokens_old_lookup")
    .on("tokens")
    .column("old_lookup")
    .where(sql<boolean>`old_lookup <> ''`)
    .execute();
}
