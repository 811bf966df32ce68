/**
 * What invitations brought their inviters, in quota units; no row: nobody came. Written by
 * `modules/affiliates` only.
 */
export type AffiliateTable = {
  user_id: number;
  /** Accounts that came by the user's code. */
  aff_count: number;
  /** Earned and not yet moved to the balance. */
  aff_quota: number;
  /** Earned ever. What was moved is the sum of the user's `aff_transfer` entries. */
  aff_history_quota: number;
};
