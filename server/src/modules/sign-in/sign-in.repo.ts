/** Reads the columns of `users` that signing in with a password needs. */

import type { Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import type { UserTable } from "#db/tables/users.ts";

export type Credentials = Pick<
  Selectable<UserTable>,
  | "id"
  | "username"
  | "display_name"
  | "password_hash"
  | "password_expired"
  | "role"
  | "status"
  | "group"
>;

const credentialColumns = [
  "id",
  "username",
  "display_name",
  "password_hash",
  "password_expired",
  "role",
  "status",
  "group",
] as const satisfies readonly (keyof Credentials)[];

/**
 * Finds a user by name, or by e-mail address if only one user has this address. If the text is one
 * user's address and another user's name, returns the owner of the address.
 */
export async function findCredentials(db: Db, name: string): Promise<Credentials | undefined> {
  if (name === "") return undefined; // Most users have the e-mail address "".
  // Names are stored in the Unicode form NFC, except older names, which are stored as they were
  // typed.
  const composed = name.normalize("NFC");
  const rows = await db
    .selectFrom("users")
    .select([...credentialColumns, "email"])
    // E-mail addresses are stored in lower case, but imported ones may contain capitals.
    .where((eb) =>
      eb.or([
        eb("username", "in", [name, composed]),
        eb("email", "in", [name, name.toLowerCase()]),
      ]),
    )
    .where("DeletedAt", "is", null)
    .limit(10)
    .execute();
  const named =
    rows.find((row) => row.username === name) ?? rows.find((row) => row.username === composed);
  const [owner, second] = rows.filter((row) => row.email.toLowerCase() === name.toLowerCase());
  const only = second === undefined ? owner : undefined;
  return name.includes("@") ? (only ?? named) : named;
}
