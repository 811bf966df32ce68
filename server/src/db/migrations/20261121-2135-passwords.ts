import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await db.schema
    .alterTable("users")
    .addColumn("password_expired", whole, (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`password_expired between 0 and 1`),
    )
    .execute();
  await wholes(createTable(db, dialect, "password_failures"), whole, ["user_id", "count"])
    .addPrimaryKeyConstraint("password_failures_key", ["user_id"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "sign_in_places"), whole, ["user_id", "used_at"])
    .$call(texts("place"))
    .addPrimaryKeyConstraint("sign_in_places_key", ["user_id", "place"] as never[])
    .execute();
}
