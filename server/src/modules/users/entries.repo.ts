/** Reads a user's ledger entries for lists. Only `modules/ledger` writes them. */

import { entryCountMax, entryKind, type Statement } from "@tollgate/contract/endpoints/entries.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { contains } from "#db/text-search.ts";

/**
 * Reads one page of a user's entries, newest first. The entries are numbered from 1 without gaps,
 * and the last number is stored beside the balance, so the query neither counts rows nor skips any.
 */
export async function pageEntries(db: Db, userId: number, window: EntryWindow): Promise<Statement> {
  const { page, page_size, keyword, ahead } = window;
  const balance = await db
    .selectFrom("balances")
    .select(["entry_count", "balance"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const total = balance?.entry_count ?? 0;
  const newest = total - (page - 1) * page_size;
  const found = keyword === "" ? null : await findEntries(db, userId, window);
  const seqs = found?.seqs ?? null;
  const rows = await db
    .selectFrom("entries")
    .leftJoin("logs", (join) =>
      join.onRef("logs.id", "=", "entries.log_id").on("entries.log_id", ">", 0),
    )
    .select(["seq", "kind", "amount", "debt", "balance_after", "log_id", "detail", "cause"])
    .select(["entries.token_id", "entries.created_at", "logs.model_name", "logs.request_id"])
    .where("entries.user_id", "=", userId)
    .$if(seqs === null, (query) =>
      query.where("seq", "<=", newest).where("seq", ">", newest - page_size),
    )
    .$if(seqs !== null, (query) => query.where("seq", "in", [0, ...(seqs ?? [])]))
    .orderBy("seq", "desc")
    .execute();
  const items = rows.map(({ cause, model_name, request_id, ...row }) => ({
    ...row,
    kind: entryKind.parse(row.kind),
    detail: shownDetail(row.kind, row.detail, cause),
    model_name: model_name ?? "",
    request_id: request_id ?? "",
  }));
  const totals = await sumMoney(db, userId, total);
  return {
    items,
    page,
    page_size,
    total: found?.total ?? total,
    days: found === null ? await sumDays(db, { userId, ahead, total }, items) : [],
    balance: balance?.balance ?? 0,
    // Not the used quota: of calls that were charged again a part may have become a debt.
    calls: (balance?.balance ?? 0) - totals.reduce((sum, { amount }) => sum + amount, 0),
    totals,
  };
}

/** Which entries a list shows. */
export type EntryWindow = PageWindow & { readonly keyword: string; readonly ahead: number };

/** Finds the numbers of the entries that a keyword matches: by model, request id or remark. */
async function findEntries(db: Db, userId: number, { page, page_size, keyword }: EntryWindow) {
  const matching = db
    .selectFrom("entries")
    .leftJoin("logs", (join) =>
      join.onRef("logs.id", "=", "entries.log_id").on("entries.log_id", ">", 0),
    )
    .select("seq")
    .where("entries.user_id", "=", userId)
    .where((eb) =>
      eb.or([
        contains("logs.model_name", keyword),
        eb("logs.request_id", "=", keyword),
        // The remark of a settlement is the hash of its log row, and old ones of codes have names.
        eb.and([contains("detail", keyword), eb("kind", "not in", ["redeem", "settle"])]),
      ]),
    );
  const counted = matching.limit(entryCountMax).as("counted");
  const { total } = await db
    .selectFrom(counted)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .orderBy("seq", "desc")
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute();
  return { total: Number(total), seqs: rows.map(({ seq }) => seq) };
}

/** In seconds. */
const daySeconds = 86_400;

type Stand = Pick<Statement["items"][number], "balance_after" | "created_at" | "seq">;

const nothing: Stand = { seq: 0, balance_after: 0, created_at: 0 };

/**
 * Sums the days of a page's entries, newest first. The balance after an entry tells the sum of all
 * before it, so only the ends of the page's first and last day are looked for.
 */
async function sumDays(
  db: Db,
  whose: { readonly userId: number; readonly ahead: number; readonly total: number },
  items: readonly Stand[],
): Promise<Statement["days"]> {
  const shift = Math.max(-daySeconds, Math.min(daySeconds, whose.ahead * 60));
  const dayOf = (at: number) => Math.floor((at + shift) / daySeconds) * daySeconds - shift;
  const starts = [...new Set(items.map(({ created_at: at }) => dayOf(at)))];
  const [newest = nothing] = items;
  const oldest = items.at(-1) ?? nothing;
  const days: { start: number; amount: number; count: number }[] = [];
  for (const [index, start] of starts.entries()) {
    const end = start + daySeconds;
    const last =
      index === 0
        ? await lastBefore(db, whose.userId, { end, from: newest.seq, to: whose.total })
        : items.find(({ created_at: at }) => at < end);
    const before =
      index === starts.length - 1
        ? await lastBefore(db, whose.userId, { end: start, from: 0, to: oldest.seq })
        : items.find(({ created_at: at }) => at < start);
    if (last === undefined || before === undefined) continue;
    const amount = last.balance_after - before.balance_after;
    days.push({ start, amount, count: last.seq - before.seq });
  }
  return days;
}

/**
 * Finds the last of the entries `from` to `to` that was made before `end`, by halving, because
 * entries are numbered in the order of their times.
 */
export async function lastBefore(
  db: Db,
  userId: number,
  { end, from, to }: { readonly end: number; readonly from: number; readonly to: number },
): Promise<Stand> {
  const read = async (seq: number) =>
    await db
      .selectFrom("entries")
      .select(["seq", "balance_after", "created_at"])
      .where("user_id", "=", userId)
      .where("seq", "=", seq)
      .executeTakeFirst();
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const entry = await read(middle);
    if (entry !== undefined && entry.created_at < end) low = middle;
    else high = middle - 1;
  }
  return (await read(low)) ?? nothing;
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
  // Older entries of codes have the operator's name of the code behind its id.
  if (kind === "redeem") return `#${/^#?(\d*)/.exec(detail)?.[1] ?? ""}`;
  return kind === "topup" ? cause.slice(cause.indexOf(":") + 1) : detail;
}
