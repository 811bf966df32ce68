/**
 * What users earned by invitations, in quota units. A user who invited nobody has no row. Written by
 * `modules/affiliates` only.
 */
export type AffiliateTable = {
  user_id: number;
  /** Number of accounts that were registered with the user's invite code. */
  aff_count: number;
  /** Quota units earned and not yet moved to the balance. */
  aff_quota: number;
  /**
   * Quota units earned in total. How much was moved to the balance is the sum of the user's
   * `aff_transfer` entries.
   */
  aff_history_quota: number;
};
