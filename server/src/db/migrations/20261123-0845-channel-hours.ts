import type { Kysely } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds the attempts at channels by hour. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await wholes(createTable(db, dialect, "channel_hours"), wholeType(dialect), [
    "hour",
    "channel_id",
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
  ])
    .$call(texts("model_name"))
    .addPrimaryKeyConstraint("channel_hours_key", ["hour", "channel_id", "model_name"] as never[])
    .execute();
}
