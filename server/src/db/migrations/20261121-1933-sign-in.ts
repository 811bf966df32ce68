import type { Kysely } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  const table = (name: string) => createTable(db, dialect, name);

  await wholes(table("identities"), whole, ["user_id", "created_at"])
    .$call(texts("issuer", "subject", "method"))
    .addPrimaryKeyConstraint("identities_key", ["issuer", "subject"] as never[])
    .addUniqueConstraint("identities_of_user", ["user_id", "method"] as never[])
    .execute();
  await wholes(table("mail_codes"), whole, ["failures", "expires_at"])
    .$call(texts("purpose", "address", "lookup"))
    .addPrimaryKeyConstraint("mail_codes_key", ["purpose", "address"] as never[])
    .execute();
  await index(db, "mail_codes", ["expires_at"]);
  await wholes(table("sign_in_states"), whole, ["user_id", "expires_at"])
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .$call(texts("method", "owner", "aff_code"))
    .execute();
  await index(db, "sign_in_states", ["expires_at"]);
  await wholes(table("spent_proofs"), whole, ["expires_at"])
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .execute();
  await index(db, "spent_proofs", ["expires_at"]);
}
