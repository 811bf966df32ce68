import type { Generated } from "kysely";

/** Redemption codes. Written by `modules/redemptions` only. Times in Unix seconds. */
export type RedemptionTable = {
  id: Generated<number>;
  /** The user who created the code. */
  user_id: number;
  name: string;
  /** Keyed hash of the code, hex; unique. A code that is redeemed is found by it. */
  lookup: string;
  /** The code, encrypted with AES-256-GCM, base64; bound to the table and `batch_id`. */
  sealed: string;
  /** Quota units. */
  quota: number;
  /** 1 unused, 2 disabled, 3 used. */
  status: number;
  /** The group whose users may redeem the code; empty: every user. */
  group: string;
  /** Random text that the codes of one creation share. */
  batch_id: string;
  /** How many codes of the batch one user may redeem; 0: any number. */
  user_limit: number;
  /** 0: never. */
  expired_time: number;
  created_time: number;
  /** 0: not redeemed. */
  redeemed_time: number;
  /** 0: nobody. */
  used_user_id: number;
  /** When the code was deleted, in RFC 3339; null: it is not deleted. */
  DeletedAt: string | null;
  /** `redemptionHash` over every column above but `id`. */
  hash: string;
};
