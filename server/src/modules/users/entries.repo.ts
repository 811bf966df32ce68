/** Reads a user's ledger entries. Only `modules/ledger` writes them. */

import { type Entry, entryKind } from "@tollgate/contract/entries.ts";
import type { PageWindow } from "@tollgate/contract/page.ts";
import type { Db } from "#db/database.ts";

type Paged = PageWindow & { readonly items: Entry[]; readonly total: number };

/**
 * One page of entries, newest first. A user's entries are numbered from 1 without gaps, and their
 * number is stored beside the balance. So the query neither counts rows nor skips over any.
 */
export async function pageEntries(db: Db, userId: number, window: PageWindow): Promise<Paged> {
  const balance = await db
    .selectFrom("balances")
    .select("entry_count")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const total = balance?.entry_count ?? 0;
  const newest = total - (window.page - 1) * window.page_size;
  const rows = await db
    .selectFrom("entries")
    .select(["seq", "kind", "amount", "balance_after", "token_id", "log_id", "detail"])
    .select("created_at")
    .where("user_id", "=", userId)
    .where("seq", "<=", newest)
    .where("seq", ">", newest - window.page_size)
    .orderBy("seq", "desc")
    .execute();
  const items = rows.map((row) => ({
    ...row,
    kind: entryKind.parse(row.kind),
    // For the settlement of a call, the detail is the hash of its log row; users do not see it.
    detail: row.kind === "settle" ? "" : row.detail,
  }));
  return { items, ...window, total };
}
