/**
 * To which organisations users belong. The rules of it are those of `modules/organisations`; it stands
 * here because a user who is deleted leaves all of them.
 */

import type { OrganisationRole } from "@tollgate/contract/endpoints/organisation-rights.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { Actor } from "#modules/audit/audit.ts";
import { removeKeysOf } from "#modules/tokens/tokens.ts";

/** A user in an organisation. */
type Belonging = { readonly id: number; readonly userId: number };

export async function addMembership(
  tx: Db,
  { id, userId }: Belonging,
  { role, created_at }: { readonly role: OrganisationRole; readonly created_at: number },
): Promise<void> {
  const row = { organisation_id: id, user_id: userId, role, created_at };
  await tx.insertInto("memberships").values(row).execute();
}

export async function setMembershipRole(
  tx: Db,
  { id, userId }: Belonging,
  role: OrganisationRole,
): Promise<void> {
  await tx
    .updateTable("memberships")
    .set({ role })
    .where("organisation_id", "=", id)
    .where("user_id", "=", userId)
    .execute();
}

export async function removeMembership(tx: Db, { id, userId }: Belonging): Promise<void> {
  await tx
    .deleteFrom("memberships")
    .where("organisation_id", "=", id)
    .where("user_id", "=", userId)
    .execute();
}

type By = { readonly actor: Actor; readonly nowMs: number };

/**
 * Takes a user who is deleted out of all organisations.
 * @throws Refusal `not-allowed` for the only owner of one.
 */
export async function leaveAll(tx: Db, userId: number, by: By): Promise<void> {
  const memberships = await tx
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.organisation_id")
    .select(["organisation_id", "users.DeletedAt"])
    .where("user_id", "=", userId)
    .orderBy("organisation_id")
    .execute();
  for (const { organisation_id: id, DeletedAt } of memberships) {
    await lockOrganisation(tx, id);
    // Closed ones need no owner.
    if (DeletedAt === null) await refuseOnlyOwner(tx, id, userId);
    await removeMembership(tx, { id, userId });
  }
  if (memberships.length > 0) await removeKeysOf(tx, { userId }, by);
}

/** @throws Refusal `not-allowed` when the organisation would have no owner without this user. */
export async function refuseOnlyOwner(tx: Db, id: number, userId: number): Promise<void> {
  const owners = await tx
    .selectFrom("memberships")
    .select("user_id")
    .where("organisation_id", "=", id)
    .where("role", "=", "owner")
    .execute();
  const [only, second] = owners;
  if (only?.user_id !== userId || second !== undefined) return;
  throw new Refusal("not-allowed", "组织必须至少有一名所有者，请先转让");
}

/** Changes of an organisation's people are made one after the other. */
async function lockOrganisation(tx: Db, id: number): Promise<void> {
  await lockRows(tx, tx.selectFrom("organisations").select("id").where("id", "=", id)).execute();
}
