import { type Kysely, sql } from "kysely";
import { addId, createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * Adds organisations. The account of one is a row of `users`, so that the money of persons and of
 * organisations is in one space of ids.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await db.schema
    .alterTable("users")
    .addColumn("organisation", whole, (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`organisation in (0, 1)`),
    )
    .execute();
  await wholes(createTable(db, dialect, "organisations"), whole, ["id", "created_by", "created_at"])
    .$call(texts("name"))
    .addPrimaryKeyConstraint("organisations_key", ["id"] as never[])
    .execute();
  await wholes(addId(dialect, createTable(db, dialect, "projects")), whole, [
    "organisation_id",
    "status",
    "created_at",
  ])
    .$call(texts("name"))
    .addUniqueConstraint("projects_name", ["organisation_id", "name"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "memberships"), whole, [
    "organisation_id",
    "user_id",
    "created_at",
  ])
    .$call(texts("role"))
    .addPrimaryKeyConstraint("memberships_key", ["organisation_id", "user_id"] as never[])
    .execute();
  await index(db, "memberships", ["user_id"]);
  await wholes(createTable(db, dialect, "organisation_keys"), whole, [
    "token_id",
    "organisation_id",
    "project_id",
    "user_id",
    "suspended",
  ])
    .addPrimaryKeyConstraint("organisation_keys_key", ["token_id"] as never[])
    .execute();
  await index(db, "organisation_keys", ["organisation_id"]);
  await index(db, "organisation_keys", ["user_id"]);
  await wholes(addId(dialect, createTable(db, dialect, "organisation_invitations")), whole, [
    "organisation_id",
    "invited_by",
    "created_at",
    "expires_at",
    "used_by",
    "used_at",
  ])
    .$call(texts("lookup", "email", "role"))
    .addUniqueConstraint("organisation_invitations_lookup", ["lookup"] as never[])
    .execute();
  await index(db, "organisation_invitations", ["organisation_id"]);
}
