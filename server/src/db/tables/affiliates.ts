/**
 * How many accounts were registered by a user's invitations. A user who invited nobody has no row.
 * Written by `modules/affiliates` only; what it earned is in `earnings`.
 */
export type AffiliateTable = {
  user_id: number;
  /** Number of accounts that were registered with the user's invite code. */
  aff_count: number;
};
