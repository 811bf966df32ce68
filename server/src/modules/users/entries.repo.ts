/** Reads a user's ledger entries for lists. Only `modules/ledger` writes them. */

import { type Statement, entryKind } from "@tollgate/contract/entries.ts";
import type { PageWindow } from "@tollgate/contract/page.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/**
 * Reads one page of a user's entries, newest first. The entries are numbered from 1 without gaps,
 * and the last number is stored beside the balance, so the query neither counts rows nor skips any.
 */
export async function pageEntries(db: Db, userId: number, window: PageWindow): Promise<Statement> {
  const balance = await db
    .selectFrom("balances")
    .select(["entry_count", "balance", "used"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const total = balance?.entry_count ?? 0;
  const newest = total - (window.page - 1) * window.page_size;
  const rows = await db
    .selectFrom("entries")
    .select(["seq", "kind", "amount", "debt", "balance_after", "token_id", "log_id", "detail"])
    .select(["cause", "created_at"])
    .where("user_id", "=", userId)
    .where("seq", "<=", newest)
    .where("seq", ">", newest - window.page_size)
    .orderBy("seq", "desc")
    .execute();
  const items = rows.map(({ cause, ...row }) => ({
    ...row,
    kind: entryKind.parse(row.kind),
    detail: shownDetail(row.kind, row.detail, cause),
  }));
  const totals = await sumMoney(db, userId, total);
  return {
    items,
    ...window,
    total,
    balance: balance?.balance ?? 0,
    calls: 0 - (balance?.used ?? 0),
    totals,
  };
}

/**
 * Sums the entries that are not of calls by kind, up to number `seq`. The index `entries_money` has
 * only these, so the many calls are not read; their sum is stored beside the balance.
 */
async function sumMoney(db: Db, userId: number, seq: number): Promise<Statement["totals"]> {
  const rows = await db
    .selectFrom("entries")
    .select((eb) => ["kind", eb.fn.sum<number>("amount").as("amount")])
    .where("user_id", "=", userId)
    .where("seq", "<=", seq)
    .where(sql<boolean>`kind not in ('settle', 'reversal', 'refund')`)
    .groupBy("kind")
    .orderBy("kind")
    .execute();
  return rows.map(({ kind, amount }) => ({ kind: entryKind.parse(kind), amount: Number(amount) }));
}

/**
 * The detail of a call's settlement is the hash of its log row, that of a top-up the hash of its
 * order. Neither is of use to users, who see the number of the order instead.
 */
function shownDetail(kind: string, detail: string, cause: string): string {
  if (kind === "settle") return "";
  return kind === "topup" ? cause.slice(cause.indexOf(":") + 1) : detail;
}
