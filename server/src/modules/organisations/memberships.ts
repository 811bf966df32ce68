/** Changes of who belongs to an organisation, and the invitations to one. */

import type { Membership } from "@tollgate/contract/endpoints/organisation-people.ts";
import {
  membershipsMax,
  openInvitationsMax,
} from "@tollgate/contract/endpoints/organisation-people.ts";
import {
  mayDo,
  type OrganisationRole,
  organisationRole,
} from "@tollgate/contract/endpoints/organisation-rights.ts";
import { role as userRole, userStatus } from "@tollgate/contract/endpoints/users.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { disableKeysOf, removeKeysOf } from "#modules/tokens/tokens.ts";
import {
  addMembership,
  refuseOnlyOwner,
  removeMembership,
  setMembershipRole,
} from "#modules/users/users.ts";
import { note } from "./accounts.ts";
import { type By, enter, enterToChange, has, lockOrganisation, readRole } from "./enter.ts";

export async function listMemberships(db: Db, id: number, by: By): Promise<Membership[]> {
  await enter(db, id, "read", by);
  const rows = await db
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.user_id")
    .select(["memberships.user_id", "memberships.role", "memberships.created_at"])
    .select(["users.username", "users.display_name"])
    .where("memberships.organisation_id", "=", id)
    .orderBy("users.username")
    .execute();
  return rows.map((row) => ({ ...row, role: organisationRole.parse(row.role) }));
}

function notThere(): Refusal {
  return new Refusal("not-found", "该用户不在组织中");
}

function onlyOwners(): Refusal {
  return new Refusal("not-allowed", "只有所有者可以任免所有者");
}

type RoleChange = { readonly userId: number; readonly role: OrganisationRole };

/** Changes a role. Keys that the new role may not have are disabled. */
export async function changeMembership(
  tx: Db,
  id: number,
  { userId, role }: RoleChange,
  by: By,
): Promise<void> {
  const { role: ownRole } = await enterToChange(tx, id, "memberships", by);
  const before = await readRole(tx, id, userId);
  if (before === undefined) throw notThere();
  if (before === role) return;
  const concernsOwner = before === "owner" || role === "owner";
  if (concernsOwner && !by.isRoot && !has(ownRole, "own")) throw onlyOwners();
  if (before === "owner") await refuseOnlyOwner(tx, id, userId);
  await setMembershipRole(tx, { id, userId }, role);
  if (!mayDo(role, "use")) await disableKeysOf(tx, { organisationId: id, userId }, by);
  await note(tx, by, "organisation.role", id, { user_id: userId, before, after: role });
}

/** Ends a membership, also the actor's own, and removes the keys of the person there. */
export async function endMembership(tx: Db, id: number, userId: number, by: By): Promise<void> {
  const isOwn = userId === by.actor.userId;
  const { role: ownRole } = await enterToChange(tx, id, isOwn ? "read" : "memberships", by);
  const before = await readRole(tx, id, userId);
  if (before === undefined) throw notThere();
  if (before === "owner" && !isOwn && !by.isRoot && !has(ownRole, "own")) throw onlyOwners();
  if (before === "owner") await refuseOnlyOwner(tx, id, userId);
  await removeMembership(tx, { id, userId });
  await removeKeysOf(tx, { organisationId: id, userId }, by);
  await note(tx, by, "organisation.leave", id, { user_id: userId, role: before });
}

/** Makes somebody who belongs to the organisation its owner, in place of the actor. */
export async function transferOwnership(tx: Db, id: number, userId: number, by: By): Promise<void> {
  await enterToChange(tx, id, "own", by);
  if (userId === by.actor.userId) throw new Refusal("invalid-input", "请选择另一名用户");
  const before = await readRole(tx, id, userId);
  if (before === undefined) throw notThere();
  await setMembershipRole(tx, { id, userId }, "owner");
  const own = await readRole(tx, id, by.actor.userId);
  if (own === "owner") await setMembershipRole(tx, { id, userId: by.actor.userId }, "admin");
  const detail = { from: own === "owner" ? by.actor.userId : 0, to: userId };
  await note(tx, by, "organisation.owner", id, detail);
}

export async function listInvitations(db: Db, id: number, by: By) {
  await enter(db, id, "memberships", by);
  const rows = await db
    .selectFrom("organisation_invitations as invitations")
    .leftJoin("users", "users.id", "invitations.invited_by")
    .select(["invitations.id", "invitations.role", "invitations.email"])
    .select(["invitations.created_at", "invitations.expires_at", "users.username"])
    .where("organisation_id", "=", id)
    .where("used_at", "=", 0)
    .where("expires_at", ">", unixSeconds(by.nowMs))
    .orderBy("invitations.id", "desc")
    .execute();
  return rows.map(({ username, ...row }) => ({
    ...row,
    role: organisationRole.parse(row.role),
    invited_by: username ?? "",
  }));
}

type NewInvitation = {
  readonly lookup: string;
  readonly role: OrganisationRole;
  readonly email: string;
  /** Unix seconds. */
  readonly expiresAt: number;
};

/** @returns the invitation's id, and the name of the organisation. */
export async function invite(tx: Db, id: number, given: NewInvitation, by: By) {
  const { lookup, role, email, expiresAt } = given;
  const place = await enterToChange(tx, id, "memberships", by);
  if (role === "owner" && !by.isRoot && !has(place.role, "own")) throw onlyOwners();
  const open = await listInvitations(tx, id, by);
  if (open.length >= openInvitationsMax) {
    throw new Refusal("limit-reached", `未使用的邀请不能超过 ${openInvitationsMax} 个`);
  }
  const row = {
    organisation_id: id,
    lookup,
    email,
    role,
    invited_by: by.actor.userId,
    created_at: unixSeconds(by.nowMs),
    expires_at: expiresAt,
    used_by: 0,
    used_at: 0,
  };
  const made = await tx
    .insertInto("organisation_invitations")
    .values(row)
    .returning("id")
    .executeTakeFirstOrThrow();
  await note(tx, by, "organisation.invite", id, { invitation: made.id, role, email });
  return { id: made.id, organisation: place.name };
}

export async function withdrawInvitation(
  tx: Db,
  id: number,
  invitation: number,
  by: By,
): Promise<void> {
  await enterToChange(tx, id, "memberships", by);
  const withdrawn = await tx
    .updateTable("organisation_invitations")
    .set({ used_at: unixSeconds(by.nowMs) })
    .where("id", "=", invitation)
    .where("organisation_id", "=", id)
    .where("used_at", "=", 0)
    .returning("id")
    .executeTakeFirst();
  if (withdrawn === undefined) throw new Refusal("not-found", "邀请不存在或已失效");
  await note(tx, by, "organisation.withdraw", id, { invitation });
}

/** Used, withdrawn, expired and unknown invitations are refused alike. */
function noInvitation(): Refusal {
  return new Refusal("not-found", "邀请不存在或已失效");
}

type Invited = {
  readonly id: number;
  readonly organisationId: number;
  readonly organisation: string;
  readonly role: OrganisationRole;
  readonly invitedBy: string;
};

/**
 * Finds an invitation that can be used: not after its maker has lost the right to invite.
 * @throws Refusal `not-found`.
 */
async function findInvitation(db: Db, lookup: string, nowMs: number): Promise<Invited> {
  const query = db
    .selectFrom("organisation_invitations")
    .selectAll()
    .where("lookup", "=", lookup)
    .where("used_at", "=", 0)
    .where("expires_at", ">", unixSeconds(nowMs));
  const row = await query.executeTakeFirst();
  if (row === undefined) throw noInvitation();
  const maker = await db
    .selectFrom("users")
    .select(["username", "role", "status"])
    .where("id", "=", row.invited_by)
    .where("DeletedAt", "is", null)
    .executeTakeFirst();
  if (maker === undefined || maker.status !== userStatus.enum.enabled) throw noInvitation();
  const by = {
    actor: { userId: row.invited_by, username: maker.username, clientIp: "" },
    isRoot: maker.role === userRole.enum.root,
  };
  const role = organisationRole.parse(row.role);
  const needed = role === "owner" ? "own" : "memberships";
  const place = await enter(db, row.organisation_id, needed, by).catch((error: unknown) => {
    throw error instanceof Refusal ? noInvitation() : error;
  });
  if (!place.isOpen) throw noInvitation();
  const { id, organisation_id: organisationId } = row;
  return { id, organisationId, organisation: place.name, role, invitedBy: maker.username };
}

export async function readInvitation(db: Db, lookup: string, nowMs: number) {
  const { organisation, role, invitedBy } = await findInvitation(db, lookup, nowMs);
  return { organisation, role, invited_by: invitedBy };
}

/** Makes the actor belong to the organisation of an invitation, which is used up. */
export async function acceptInvitation(tx: Db, lookup: string, by: By) {
  const first = await findInvitation(tx, lookup, by.nowMs);
  await lockOrganisation(tx, first.organisationId);
  const { id, organisationId, organisation, role } = await findInvitation(tx, lookup, by.nowMs);
  const { userId } = by.actor;
  if ((await readRole(tx, organisationId, userId)) !== undefined) {
    throw new Refusal("already-exists", "您已在该组织中");
  }
  const now = unixSeconds(by.nowMs);
  const query = tx.selectFrom("organisation_invitations").select("used_at").where("id", "=", id);
  const { used_at } = await lockRows(tx, query).executeTakeFirstOrThrow();
  if (used_at !== 0) throw noInvitation();
  await tx
    .updateTable("organisation_invitations")
    .set({ used_at: now, used_by: userId })
    .where("id", "=", id)
    .execute();
  const { people } = await tx
    .selectFrom("memberships")
    .select((eb) => eb.fn.countAll<number>().as("people"))
    .where("organisation_id", "=", organisationId)
    .executeTakeFirstOrThrow();
  if (people >= membershipsMax) {
    throw new Refusal("limit-reached", `一个组织最多 ${membershipsMax} 人`);
  }
  await addMembership(tx, { id: organisationId, userId }, { role, created_at: now });
  await note(tx, by, "organisation.join", organisationId, {
    user_id: userId,
    role,
    invitation: id,
  });
  return { id: organisationId, name: organisation, role };
}
