import { type Kysely, sql } from "kysely";
import { addId, createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await db.schema
    .alterTable("sessions")
    .addColumn("factor_at", whole, (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`factor_at between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
  await wholes(createTable(db, dialect, "totp_secrets"), whole, [
    "user_id",
    "confirmed_at",
    "last_step",
  ])
    .$call(texts("sealed"))
    .addPrimaryKeyConstraint("totp_secrets_key", ["user_id"] as never[])
    .execute();
  await wholes(addId(dialect, createTable(db, dialect, "passkeys")), whole, [
    "user_id",
    "counter",
    "created_at",
    "used_at",
  ])
    .addColumn("credential_id", "text", (column) => column.notNull().unique())
    .$call(texts("public_key", "transports", "name"))
    .execute();
  await index(db, "passkeys", ["user_id"]);
  await wholes(createTable(db, dialect, "recovery_codes"), whole, ["user_id"])
    .$call(texts("lookup"))
    .addPrimaryKeyConstraint("recovery_codes_key", ["user_id", "lookup"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "factor_tickets"), whole, [
    "user_id",
    "expires_at",
    "failures",
  ])
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .$call(texts("purpose", "challenge"))
    .execute();
  await index(db, "factor_tickets", ["expires_at"]);
}
