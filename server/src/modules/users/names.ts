/** Checks the names that people choose for themselves. */

import { foldText, looksLike, shapeOf } from "#base/fold-text.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { sql } from "kysely";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import reservedNames from "./reserved-names.json" with { type: "json" };

/**
 * Names that seem official, and words that programs could misread, in the form in which lookalikes
 * are equal.
 */
const reservedShapes: readonly string[] = reservedNames.map(shapeOf);

/**
 * Whether a user has this name or one that people read as the same. The names of deleted users stay
 * taken.
 * @param exceptId id of the user who is renamed; 0: a new user.
 */
export async function isNameTaken(db: Db, username: string, exceptId = 0): Promise<boolean> {
  const folded = foldText(username);
  const row = await db
    .selectFrom("users")
    .select("id")
    .where((eb) => eb.or([eb("username_key", "=", folded), eb("username", "=", username)]))
    .where("id", "<>", exceptId)
    .limit(1)
    .executeTakeFirst();
  if (row !== undefined) return true;
  // Some older users have no `username_key`, because another user's name had the same folded form
  // when the column was added. Their names are folded and compared here.
  const others = await db
    .selectFrom("users")
    .select("username")
    .where("username_key", "is", null)
    .where("id", "<>", exceptId)
    .execute();
  return others.some((other) => foldText(other.username) === folded);
}

/**
 * Checks that a name that a person chose is not reserved.
 * @param ownId id of the user who is renamed; 0: a new user.
 * @throws Refusal `invalid-input` for a reserved name and for one that looks like a reserved name
 * or an admin's name.
 */
export async function judgeChosenName(db: Db, username: string, ownId = 0): Promise<void> {
  if (reservedShapes.some((shape) => looksLike(username, shape))) throw nameReserved();
  const admins = await db
    .selectFrom("users")
    .select("username")
    // The role is a literal and not a parameter, so that the partial index `users_admins` is used.
    .where("role", ">=", sql.lit(role.enum.admin))
    .where("DeletedAt", "is", null)
    .where("id", "<>", ownId)
    .execute();
  const folded = foldText(username);
  const isLike = (other: string): boolean =>
    // An identical name does not count as a lookalike here, because it is refused as taken.
    foldText(other) !== folded && looksLike(username, shapeOf(other));
  if (admins.some((admin) => isLike(admin.username))) throw nameReserved();
}

function nameReserved(): Refusal {
  const message = "该用户名为保留名称，或与其过于相似，请换一个";
  return new Refusal("invalid-input", message, { field: "username" });
}
