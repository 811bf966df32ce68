/** Reads what the owner of a charged call needs to verify the hash of its log row. */

import type { Receipt } from "@tollgate/contract/endpoints/receipts.ts";
import { hashText } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { ownerColumns, ownerValues, rootDigest } from "./log-hash.ts";

/**
 * Makes the receipt of a charged call; null: its row has no digests. Undefined: the user has no such
 * call. With `userId` null, finds a call of any user.
 */
export async function findReceipt(
  db: Db,
  id: number,
  userId: number | null,
): Promise<Receipt | null | undefined> {
  const row = await db
    .selectFrom("logs")
    .selectAll()
    .where("id", "=", id)
    .where("type", "=", 2)
    .$if(userId !== null, (query) => query.where("user_id", "=", userId))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.salt === "") return null;
  const entry = await db
    .selectFrom("entries")
    .select(["seq", "amount", "detail"])
    .where("cause", "in", [`settle:${row.request_id}`, `again:${row.request_id}`])
    .executeTakeFirst();
  if (entry === undefined) return null;
  const values = ownerValues(row, id);
  const names = ["id", ...ownerColumns, "other"];
  return {
    seq: entry.seq,
    amount: entry.amount,
    row_hash: entry.detail,
    fields: values.map((value, at) => ({ name: names[at] ?? "", value })),
    digest: hashText(JSON.stringify(values)),
    root_digest: rootDigest(row),
  };
}
