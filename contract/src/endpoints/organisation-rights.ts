/**
 * What each role of an organisation may do: the one table of these rights. The server asks it before
 * every call for an organisation, the console before it shows a button.
 */

import { z } from "zod";

export const organisationRole = z.enum(["owner", "admin", "billing", "developer", "reader"]);
export type OrganisationRole = z.infer<typeof organisationRole>;

/** Which roles have a right. Root has every right in every organisation. */
const organisationRights = {
  /** See the organisation, its projects, memberships and sums of what was spent. */
  read: ["owner", "admin", "billing", "developer", "reader"],
  /** See every call, and every change of the balance. */
  calls: ["owner", "admin", "billing", "reader"],
  /** Have keys of one's own in the projects. */
  use: ["owner", "admin", "developer"],
  /** See, change and remove every key, and make those of projects. */
  keys: ["owner", "admin"],
  /** Make, rename, suspend and close projects. */
  projects: ["owner", "admin"],
  /** Invite, change roles and end memberships, but for those of owners. */
  memberships: ["owner", "admin"],
  /** Move quota in and out, pay orders, redeem codes. */
  billing: ["owner", "billing"],
  /** Make owners, end their memberships, rename and close the organisation. */
  own: ["owner"],
} as const satisfies Readonly<Record<string, readonly OrganisationRole[]>>;

export type OrganisationRight = keyof typeof organisationRights;

/** Whether a role has a right. */
export function mayDo(role: OrganisationRole, right: OrganisationRight): boolean {
  const roles: readonly OrganisationRole[] = organisationRights[right];
  return roles.includes(role);
}

/** The header with which a call is made for an organisation: its id. */
export const organisationHeader = "new-api-organisation";

/**
 * The calls of the console API that can be made for an organisation, with the right that each needs.
 * They show and change the organisation's account as they do the caller's own without the header. No
 * other call takes it.
 */
export const callsForOrganisations: Readonly<Record<string, OrganisationRight>> = {
  "GET /api/dashboard/caches/self": "read",
  "GET /api/dashboard/self": "read",
  "GET /api/data/self/": "read",
  "GET /api/log/self/": "calls",
  "GET /api/log/self/chart": "calls",
  "GET /api/log/self/export": "calls",
  "GET /api/log/self/facet": "calls",
  "GET /api/log/self/failures": "calls",
  "GET /api/log/self/stat": "calls",
  "GET /api/log/self/statement": "calls",
  "GET /api/token/": "keys",
  "GET /api/token/:id": "keys",
  "GET /api/token/search": "keys",
  "GET /api/user/models": "read",
  "GET /api/user/self": "read",
  "GET /api/user/self/balance": "calls",
  "GET /api/user/self/entries": "calls",
  "GET /api/user/self/groups": "read",
  "GET /api/user/topup/info": "billing",
  "GET /api/user/topup/self": "billing",
  "POST /api/token/:id/old-key/end": "keys",
  "POST /api/token/:id/rotate": "keys",
  "POST /api/user/:processor/pay": "billing",
  "POST /api/user/amount": "billing",
  "POST /api/user/pay": "billing",
  "POST /api/user/topup": "billing",
  "POST /api/user/topup/again": "billing",
  "POST /api/user/topup/check": "billing",
  "PUT /api/token/": "keys",
};
