/**
 * What users earned by invitations, in quota units. A user who invited nobody has no row. Written by
 * `modules/affiliates` only.
 */
export type AffiliateTable = {
  user_id: number;
  /** Accounts registered with the user's invite code. */
  aff_count: number;
  /** Earned and not yet moved to the balance. */
  aff_quota: number;
  /** Earned in total. The sum of the user's `aff_transfer` entries is what was moved. */
  aff_history_quota: number;
};
