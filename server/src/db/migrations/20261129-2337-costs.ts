import { type Kysely, sql } from "kysely";
import { addId, createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

const rollUps = [
  "usage_hours",
  "usage_totals",
  "model_totals",
  "caller_totals",
  "counters",
] as const;
const sums = ["cost", "costed_quota", "costed_count"] as const;

/**
 * Adds what channels cost: versions of their cost lists, the cost of each call with the salt of its
 * row, and the sums of costs. Of what is there no cost is known.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(addId(dialect, createTable(db, dialect, "cost_versions")), whole, [
    "channel_id",
    "starts_at",
    "created_by",
    "created_at",
  ])
    .$call(texts("content", "hash"))
    .execute();
  await index(db, "cost_versions", ["channel_id"]);
  await db.schema
    .alterTable("logs")
    .addColumn("cost", whole, (column) =>
      column.check(sql`cost between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
  await addWhole(db, dialect, "logs", "cost_version");
  for (const name of ["cost_reported", "salt"]) {
    await db.schema
      .alterTable("logs")
      .addColumn(name, "text", (column) => column.notNull().defaultTo(""))
      .execute();
  }
  await sql`
    create index logs_below_cost on logs (created_at) where type = 2 and cost > quota
  `.execute(db);
  for (const table of rollUps) {
    for (const name of sums) await addWhole(db, dialect, table, name);
  }
}

async function addWhole(
  db: Kysely<unknown>,
  dialect: Dialect,
  table: string,
  name: string,
): Promise<void> {
  await db.schema
    .alterTable(table)
    .addColumn(name, wholeType(dialect), (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`${sql.ref(name)} between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
}
