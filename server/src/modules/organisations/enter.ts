/** Who may do what in an organisation: every read and every change of one begins here. */

import {
  mayDo,
  type OrganisationRight,
  type OrganisationRole,
  organisationRole,
} from "@tollgate/contract/endpoints/organisation-rights.ts";
import { userStatus } from "@tollgate/contract/endpoints/users.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { Actor } from "#modules/audit/audit.ts";

/** Who reads or changes an organisation, and when. */
export type By = {
  readonly actor: Actor;
  readonly isRoot: boolean;
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** An organisation as one of its people, or root, has entered it. */
export type Place = {
  readonly id: number;
  readonly name: string;
  /** The name of its account. */
  readonly username: string;
  readonly group: string;
  readonly isOpen: boolean;
  readonly role: OrganisationRole | "root";
};

/** Whether somebody with this role has a right. */
export function has(role: Place["role"], right: OrganisationRight): boolean {
  return role === "root" || mayDo(role, right);
}

/** Unknown organisations and those of others are refused alike. */
export function organisationNotFound(): Refusal {
  return new Refusal("not-found", "组织不存在");
}

/**
 * Reads an organisation for somebody who needs a right there.
 * @throws Refusal `not-found` for whoever does not belong to it, `not-allowed` without the right.
 */
export async function enter(
  db: Db,
  id: number,
  right: OrganisationRight,
  by: Pick<By, "actor" | "isRoot">,
): Promise<Place> {
  const account = await db
    .selectFrom("organisations")
    .innerJoin("users", "users.id", "organisations.id")
    .select(["organisations.name", "users.username", "users.group", "users.status"])
    .where("organisations.id", "=", id)
    .where("users.DeletedAt", "is", null)
    .executeTakeFirst();
  if (account === undefined) throw organisationNotFound();
  const role = (await readRole(db, id, by.actor.userId)) ?? (by.isRoot ? "root" : undefined);
  if (role === undefined) throw organisationNotFound();
  const { status, ...rest } = account;
  const place: Place = { ...rest, id, isOpen: status === userStatus.enum.enabled, role };
  if (by.isRoot || has(role, right)) return place;
  throw new Refusal("not-allowed", "您在该组织中没有此权限");
}

/**
 * Enters an organisation to change it: its row is locked until the transaction ends, so that changes
 * of one organisation are made one after the other, and each sees the roles as they are.
 * @throws Refusal as `enter`, and `not-allowed` while the organisation is suspended.
 */
export async function enterToChange(
  tx: Db,
  id: number,
  right: OrganisationRight,
  by: By,
): Promise<Place> {
  await lockOrganisation(tx, id);
  const place = await enter(tx, id, right, by);
  if (!place.isOpen && !by.isRoot) throw new Refusal("not-allowed", "该组织已被停用");
  return place;
}

/** @throws Refusal `not-found`. */
export async function lockOrganisation(tx: Db, id: number): Promise<void> {
  const query = tx.selectFrom("organisations").select("id").where("id", "=", id);
  if ((await lockRows(tx, query).executeTakeFirst()) === undefined) throw organisationNotFound();
}

/** Reads the role of a user in an organisation; undefined: the user does not belong to it. */
export async function readRole(
  db: Db,
  id: number,
  userId: number,
): Promise<OrganisationRole | undefined> {
  const row = await db
    .selectFrom("memberships")
    .select("role")
    .where("organisation_id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row === undefined ? undefined : organisationRole.parse(row.role);
}
