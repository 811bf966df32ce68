/** Who belongs to an organisation: memberships, invitations, ownership. */

import { z } from "zod";
import { id } from "@tollgate/contract/fields/fields.ts";
import { endpoint } from "./endpoint.ts";
import { organisationRole } from "./organisation-rights.ts";

const whole = z.number().int();

export const membershipsMax = 1_000;

const membership = z.object({
  user_id: whole,
  username: z.string(),
  display_name: z.string(),
  role: organisationRole,
  created_at: whole,
});
export type Membership = z.infer<typeof membership>;

export const listMemberships = endpoint({
  method: "GET",
  path: "/api/organisation/:id/memberships",
  access: "user",
  input: z.object({ id }),
  output: z.array(membership),
});

/** Changes the role of a user. Only owners make owners, and the last owner stays one. */
export const changeMembership = endpoint({
  method: "PUT",
  path: "/api/organisation/:id/memberships",
  access: "user",
  stepUp: ({ role }) => role === "owner",
  input: z.object({ id, user_id: id, role: organisationRole }),
  output: z.void(),
});

/** Ends a membership: the user's keys there stop at once. One may end one's own. */
export const endMembership = endpoint({
  method: "POST",
  path: "/api/organisation/:id/memberships/end",
  access: "user",
  input: z.object({ id, user_id: id }),
  output: z.void(),
});

/** Makes another user the owner; the caller, if an owner, becomes an admin. */
export const transferOwnership = endpoint({
  method: "POST",
  path: "/api/organisation/:id/owner",
  access: "user",
  stepUp: () => true,
  input: z.object({ id, user_id: id }),
  output: z.void(),
});

export const invitationDaysMax = 30;
export const openInvitationsMax = 100;

const invitation = z.object({
  id: whole,
  role: organisationRole,
  /** The address that it was sent to; empty: its link was passed on by hand. */
  email: z.string(),
  invited_by: z.string(),
  created_at: whole,
  expires_at: whole,
});

/** Lists the invitations that can still be used, newest first. */
export const listInvitations = endpoint({
  method: "GET",
  path: "/api/organisation/:id/invitations",
  access: "user",
  input: z.object({ id }),
  output: z.array(invitation),
});

/** Invites one person, who joins by the secret that is answered once. */
export const invite = endpoint({
  method: "POST",
  path: "/api/organisation/:id/invitations",
  access: "user",
  input: z.object({
    id,
    role: organisationRole,
    days: z.coerce.number<number | string>().int().min(1).max(invitationDaysMax).default(7),
    /** Where to send it; empty: nowhere. */
    email: z.union([z.literal(""), z.email("无效的邮箱地址").max(100)]).default(""),
  }),
  output: z.object({ id: whole, secret: z.string(), expires_at: whole }),
});

export const withdrawInvitation = endpoint({
  method: "POST",
  path: "/api/organisation/:id/invitations/withdraw",
  access: "user",
  input: z.object({ id, invitation: id }),
  output: z.void(),
});

/** The secret of an invitation, as the link has it. */
const secret = z.string("无效的参数").trim().min(20, "无效的参数").max(100, "无效的参数");

/** Says to what an invitation invites. */
export const readInvitation = endpoint({
  method: "POST",
  path: "/api/organisation/invitation",
  access: "user",
  readsOnly: true,
  input: z.object({ secret }),
  output: z.object({ organisation: z.string(), role: organisationRole, invited_by: z.string() }),
});

/** Joins the organisation of an invitation, which is used up by it. */
export const acceptInvitation = endpoint({
  method: "POST",
  path: "/api/organisation/join",
  access: "user",
  input: z.object({ secret }),
  output: z.object({ id: whole, name: z.string(), role: organisationRole }),
});
