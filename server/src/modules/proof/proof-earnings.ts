/**
 * The check T11 (see `proof.ts`), first part: what users earned beside their balances. The entries of
 * each account are an intact chain that sums to the account, and what was moved to a balance is in
 * that balance.
 */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { EarningEntryTable, EarningTable } from "#db/tables/ledger.ts";
import { chainStart, earningHash } from "#modules/ledger/chain.ts";
import { isEarning } from "#modules/ledger/earnings.ts";
import { firstRow, type Flaw } from "./flaw.ts";

/** The number of entries that are read at a time. */
const pageSize = 2_000;

type Account = Omit<EarningTable, "entry_count"> & { readonly seq: number };

export async function findEarningFlaw(db: Db): Promise<Flaw | null> {
  return (await walkChains(db)) ?? (await findLooseAccount(db)) ?? (await findTransferFlaw(db));
}

async function walkChains(db: Db): Promise<Flaw | null> {
  let now: Account | null = null;
  for (;;) {
    const page = await pageEntries(db, now);
    for (const entry of page) {
      if (now === null || entry.user_id !== now.user_id || entry.account !== now.account) {
        const flaw = await judgeEnd(db, now);
        if (flaw !== null) return flaw;
        now = emptyAccount(entry);
      }
      const reason = judgeEntry(now, entry);
      if (reason !== null) return flawOf("earning_entries", entry, reason, entry.seq);
      now = after(now, entry);
    }
    if (page.length < pageSize) return await judgeEnd(db, now);
  }
}

async function pageEntries(db: Db, now: Account | null): Promise<EarningEntryTable[]> {
  const query = db.selectFrom("earning_entries").selectAll();
  const next =
    now === null
      ? query
      : query.where((eb) =>
          eb(
            eb.refTuple("user_id", "account", "seq"),
            ">",
            eb.tuple(now.user_id, now.account, now.seq),
          ),
        );
  return await next.orderBy("user_id").orderBy("account").orderBy("seq").limit(pageSize).execute();
}

function emptyAccount({ user_id, account }: EarningEntryTable): Account {
  return { user_id, account, balance: 0, requested: 0, earned: 0, seq: 0, head_hash: chainStart };
}

function judgeEntry(now: Account, entry: EarningEntryTable): string | null {
  if (entry.seq !== now.seq + 1) return "seq";
  if (entry.balance_after !== now.balance + entry.amount) return "balance_after";
  if (entry.requested_after !== now.requested + entry.requested) return "requested_after";
  return earningHash(now.head_hash, entry) === entry.hash ? null : "hash";
}

function after(now: Account, entry: EarningEntryTable): Account {
  return {
    ...now,
    balance: entry.balance_after,
    requested: entry.requested_after,
    earned: now.earned + (isEarning(entry.kind) ? entry.amount : 0),
    seq: entry.seq,
    head_hash: entry.hash,
  };
}

/** Compares the end of a chain with its account. */
async function judgeEnd(db: Db, now: Account | null): Promise<Flaw | null> {
  if (now === null) return null;
  const row = await db
    .selectFrom("earnings")
    .selectAll()
    .where("user_id", "=", now.user_id)
    .where("account", "=", now.account)
    .executeTakeFirst();
  const isSame =
    row !== undefined &&
    row.balance === now.balance &&
    row.requested === now.requested &&
    row.earned === now.earned &&
    row.entry_count === now.seq &&
    row.head_hash === now.head_hash;
  return isSame ? null : flawOf("earnings", now, "is not what its entries sum to");
}

function flawOf(
  table: string,
  of: { readonly user_id: number; readonly account: string },
  reason: string,
  seq?: number,
): Flaw {
  const end = seq === undefined ? "" : ` seq=${seq}`;
  const row = `user_id=${of.user_id} account=${of.account}${end}`;
  return { check: "T11", table, row, reason };
}

/** Finds an account without entries that is not empty. */
async function findLooseAccount(db: Db): Promise<Flaw | null> {
  const row = await firstRow(
    db,
    sql`
      select 'user_id=' || user_id || ' account=' || account as "row" from earnings
      where (entry_count > 0 or balance > 0 or requested > 0 or earned > 0 or head_hash <> '')
        and not exists (
          select 1 from earning_entries
          where earning_entries.user_id = earnings.user_id
            and earning_entries.account = earnings.account)
      order by user_id, account limit 1`,
  );
  if (row === null) return null;
  return { check: "T11", table: "earnings", row, reason: "is not what its entries sum to" };
}

/**
 * Finds a transfer that is only on one side. Transfers from before earnings had entries are one entry
 * `moved:<user>`, against all transfers of the user whose causes are not among the entries.
 */
async function findTransferFlaw(db: Db): Promise<Flaw | null> {
  const row = await firstRow(
    db,
    sql`
      select 'user_id=' || user_id as "row"
      from (
        select earned.user_id, earned.amount from earning_entries as earned
        where earned.kind = 'transfer' and earned.cause = 'moved:' || earned.user_id
        union all
        select entries.user_id, entries.amount from entries
        where entries.kind in ('aff_transfer', 'dividend') and not exists (
          select 1 from earning_entries as earned
          where earned.cause = entries.cause and earned.user_id = entries.user_id
            and earned.kind = 'transfer' and earned.amount = -entries.amount
            and earned.account =
              case entries.kind when 'dividend' then 'purse' else 'invitations' end)
        union all
        select earned.user_id, earned.amount from earning_entries as earned
        where earned.kind = 'transfer' and earned.cause <> 'moved:' || earned.user_id
          and not exists (select 1 from entries where entries.cause = earned.cause)
      ) as moved
      group by user_id having sum(amount) <> 0 order by user_id limit 1`,
  );
  if (row === null) return null;
  const reason = "what was moved to the balance is not what the balance got";
  return { check: "T11", table: "earning_entries", row, reason };
}
