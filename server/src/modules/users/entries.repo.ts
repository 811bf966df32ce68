/** A user's entries of the ledger, which only `modules/ledger` writes. */

import { type Entry, entryKind } from "@tollgate/contract/entries.ts";
import type { PageWindow } from "@tollgate/contract/page.ts";
import type { Db } from "#db/database.ts";

type Paged = PageWindow & { readonly items: Entry[]; readonly total: number };

/**
 * Newest first. Entries are numbered from 1 without gaps and how many there are stands beside the
 * balance, so nothing is counted and nothing skipped over.
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
    // Of a call it is the hash of its log row.
    detail: row.kind === "settle" ? "" : row.detail,
  }));
  return { items, ...window, total };
}
