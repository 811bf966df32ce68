import type { Generated } from "kysely";

/**
 * Organisations. All tables of this file are written by `modules/organisations` only but for one; times are Unix
 * seconds. The account of an organisation is the row of the same id in `users`, which has its group
 * and its status, and cannot sign in. So its balance, entries, debts and holds are as a user's.
 */
export type OrganisationTable = {
  id: number;
  name: string;
  /** Root, who has made it. */
  created_by: number;
  created_at: number;
};

/** Parts of an organisation, each with keys of its own. */
export type ProjectTable = {
  id: Generated<number>;
  organisation_id: number;
  /** Unique in the organisation. */
  name: string;
  /** 1 open, 2 suspended, 3 closed. */
  status: number;
  created_at: number;
};

/** Who belongs to an organisation, in which role. Written by `modules/users`. */
export type MembershipTable = {
  organisation_id: number;
  user_id: number;
  /** See `organisation-rights.ts` of the contract. */
  role: string;
  created_at: number;
};

/** The tokens of organisations; their owner in `tokens` is the organisation. */
export type OrganisationKeyTable = {
  token_id: number;
  organisation_id: number;
  project_id: number;
  /** Whose key it is; 0: the project's own, a service key. */
  user_id: number;
  /** 1: it was disabled because its project is suspended, and is enabled again with it. */
  suspended: number;
};

/** Invitations to an organisation, each for one person. */
export type OrganisationInvitationTable = {
  id: Generated<number>;
  organisation_id: number;
  /** Keyed hash of the secret in the link. */
  lookup: string;
  /** The address that it was sent to; empty: it was not sent. */
  email: string;
  role: string;
  invited_by: number;
  created_at: number;
  expires_at: number;
  /** Who has joined by it; 0: nobody yet. */
  used_by: number;
  /** When it was used or withdrawn; 0: it is open. */
  used_at: number;
};
