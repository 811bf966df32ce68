/** The facts about redemption codes that the ledger proves. */

import type { Selectable } from "kysely";
import { hashText } from "#base/secrets.ts";
import type { RedemptionTable } from "#db/tables/redemptions.ts";

export type RedemptionRow = Selectable<RedemptionTable>;

/** Hex SHA-256 over a code, as JSON text in this order. */
export function redemptionHash(row: Omit<RedemptionRow, "hash" | "id">): string {
  return hashText(
    JSON.stringify([
      row.user_id,
      row.name,
      row.lookup,
      row.sealed,
      row.quota,
      row.status,
      row.group,
      row.batch_id,
      row.user_limit,
      row.expired_time,
      row.created_time,
      row.redeemed_time,
      row.used_user_id,
      row.DeletedAt,
    ]),
  );
}
