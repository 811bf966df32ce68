/** The facts about redemption codes that the ledger proves. */

import type { Selectable } from "kysely";
import { hashText, type Secrets } from "#base/secrets.ts";
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

/** The kind of the keyed hash by which a code is looked up. */
export const keyKind = "redemption";

/** Binds a sealed code to its own row. */
export function sealContext(lookup: string): string {
  return `redemptions|${lookup}`;
}

/** Returns the columns that store a code: its hash, and the sealed code. */
export function codeColumns(secrets: Pick<Secrets, "lookup" | "seal">, key: string) {
  const lookup = secrets.lookup(keyKind, key);
  return { lookup, sealed: secrets.seal(sealContext(lookup), key) };
}
