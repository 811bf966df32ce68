import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

const counts = [
  "attempts",
  "answered",
  "retries",
  "failed_key",
  "failed_limit",
  "failed_server",
  "failed_network",
  "failed_answer",
  "broken",
  "rejected",
  "cancelled",
  ...Array.from({ length: 24 }, (_, bucket) => `first_byte_${bucket}` as const),
] as const;

/** Adds the attempts at channels by day, and makes them of those by hour. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await wholes(createTable(db, dialect, "channel_days"), wholeType(dialect), [
    "day",
    "channel_id",
    ...counts,
  ])
    .$call(texts("model_name"))
    .addPrimaryKeyConstraint("channel_days_key", ["day", "channel_id", "model_name"] as never[])
    .execute();
  const columns = sql.join(counts.map((name) => sql.ref(name)));
  const sums = sql.join(counts.map((name) => sql`sum(${sql.ref(name)})`));
  await sql`
    insert into channel_days (day, channel_id, model_name, ${columns})
    select hour - hour % 86400, channel_id, model_name, ${sums}
    from channel_hours group by hour - hour % 86400, channel_id, model_name
  `.execute(db);
}
