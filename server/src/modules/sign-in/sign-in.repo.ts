/** What signing in by password reads of users. */

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
 * Finds the user of that name, or the only one with that e-mail address. When one user has an
 * address and another has it as a name, the owner of the address is found.
 */
export async function findCredentials(db: Db, name: string): Promise<Credentials | undefined> {
  if (name === "") return undefined; // Most users have the address "".
  const rows = await db
    .selectFrom("users")
    .select([...credentialColumns, "email"])
    // Addresses are kept in lower case; imported ones may not be.
    .where((eb) =>
      eb.or([eb("username", "=", name), eb("email", "in", [name, name.toLowerCase()])]),
    )
    .where("DeletedAt", "is", null)
    .limit(10)
    .execute();
  const named = rows.find((row) => row.username === name);
  const [owner, second] = rows.filter((row) => row.email.toLowerCase() === name.toLowerCase());
  const only = second === undefined ? owner : undefined;
  return name.includes("@") ? (only ?? named) : named;
}
