import type { Kysely } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds what removed log rows said, by hour. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await wholes(createTable(db, dialect, "cleaned_hours"), wholeType(dialect), [
    "hour",
    "user_id",
    "token_id",
    "channel_id",
    "calls",
    "failures",
    "faults",
    ...Array.from({ length: 24 }, (_, bucket) => `first_byte_${bucket}` as const),
  ])
    .$call(texts("model_name", "group"))
    .addPrimaryKeyConstraint("cleaned_hours_key", [
      "hour",
      "user_id",
      "token_id",
      "channel_id",
      "model_name",
      "group",
    ] as never[])
    .execute();
}
