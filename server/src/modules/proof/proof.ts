/**
 * Proves that the ledger is correct, from the tables alone.
 *
 * T1: the entries sum to the balance and to the debt. T2: each chain of entries is intact up to its
 * head. T3: each charged log row has one settlement, which stores the row's hash. T4: the charge
 * follows from the stored usage and price version. T5: counters and the hourly roll-up equal the
 * sums of their calls. T6: what a token used and may still use adds up to its grant. T7: a call that
 * is logged as not charged is logged so once and has no settlement. T8: the held quota is that of
 * the open reservations. T9, only a warning: little is written off. T10: each paid order, refund and
 * redeemed code has its entries, and is as it was stored. T11: what users earned beside their
 * balances follows from what it was computed from, and its entries are intact chains. T12: the
 * totals of hours, days and eight days are the sums of the hourly roll-up. T13, only a warning: no
 * less output was charged than a quarter of what came. T14, beside this proof in `tollgate audit`:
 * rows that the console changes are what the audit log says of them. T15: the cost of a call follows
 * from its stored usage and the version of its channel's cost list. T16: what the journal has gets
 * into the books as it says, and nothing is missing there. T17: a re-rate has changed charges by what
 * its preview said. T18: what was moved from one balance to another has left the one and reached the
 * other.
 */

import {
  charge,
  type ChargedUsage,
  chargedUsage,
  noUsage,
  type PriceList,
  type UnitPrice,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import type { Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import type { EntryTable } from "#db/tables/ledger.ts";
import type { LogTable } from "#db/tables/logs.ts";
import { endingOf, logHash, readLogWatermark } from "#modules/logs/logs.ts";
import { parsePrices, priceVersionHash } from "#modules/pricing/pricing.ts";
import { settlingCausesOf } from "#modules/ledger/applied.ts";
import { chainStart, entryHash } from "#modules/ledger/chain.ts";
import { chargedBy } from "#modules/ledger/entries.ts";
import { findLossWarnings } from "#modules/ledger/lost/report.ts";
import type { Flaw } from "./flaw.ts";
import { findAgentFlaw } from "./proof-agents.ts";
import { findCallFlaw, findWarnings } from "./proof-calls.ts";
import { type CostVersions, judgeCost, readCosts } from "./proof-costs.ts";
import { isDebtOf } from "./proof-debts.ts";
import { findEarningFlaw } from "./proof-earnings.ts";
import { findJournalFlaw } from "./proof-journal.ts";
import { findOrderFlaw, findRedemptionFlaw, findRefundFlaw } from "./proof-orders.ts";
import { findRerateFlaw } from "./proof-rerates.ts";
import { findReversalFlaw } from "./proof-reversals.ts";
import { findAlteredRow } from "./proof-rows.ts";
import { findUnchargedOutput, judgeSeen } from "./proof-seen.ts";
import { findSumFlaw } from "./proof-sums.ts";
import { findTotalsFlaw } from "./proof-totals.ts";
import { openTransfers } from "./proof-transfers.ts";

// Tests of the ledger and of its parts make these checks alone.
export { findJournalFlaw, findSumFlaw, findTotalsFlaw };

export type Proof = {
  readonly flaw: Flaw | null;
  readonly entries: number;
  readonly charged: number;
  /** What an operator should look into; each begins with the name of its check. */
  readonly warnings: readonly string[];
};

/** The number of entries that are read at a time. */
const pageSize = 2_000;

/**
 * Runs all checks. Call it inside a transaction with a consistent snapshot, or while nothing
 * writes.
 */
export async function proveLedger(db: Db): Promise<Proof> {
  const prices = await readPrices(db);
  if ("check" in prices) return { flaw: prices, entries: 0, charged: 0, warnings: [] };
  const costs = await readCosts(db);
  if ("check" in costs) return { flaw: costs, entries: 0, charged: 0, warnings: [] };
  const walked = await walkEntries(db, { prices, costs });
  const flaw =
    walked.flaw ??
    (await findUnsettledLog(db)) ??
    (await findReversalFlaw(db)) ??
    (await findRerateFlaw(db, prices)) ??
    (await findSumFlaw(db)) ??
    (await findTotalsFlaw(db)) ??
    (await findCallFlaw(db)) ??
    (await findOrderFlaw(db)) ??
    (await findRefundFlaw(db)) ??
    (await findRedemptionFlaw(db)) ??
    (await findEarningFlaw(db)) ??
    (await findAgentFlaw(db)) ??
    (await findAlteredRow(db)) ??
    (await findJournalFlaw(db));
  const warnings =
    flaw === null
      ? [...(await findWarnings(db, walked.charged)), ...(await findUnchargedOutput(db))]
      : [];
  return { ...walked, flaw, warnings: [...warnings, ...(await findLossWarnings(db))] };
}

type Prices = ReadonlyMap<number, PriceList>;

async function readPrices(db: Db): Promise<Flaw | Prices> {
  const rows = await db.selectFrom("price_versions").selectAll().orderBy("id").execute();
  const lists = new Map<number, PriceList>();
  let previous = "";
  for (const row of rows) {
    const flaw = (reason: string): Flaw => ({
      check: "T4",
      table: "price_versions",
      row: `id=${row.id}`,
      reason,
    });
    if (priceVersionHash(previous, row) !== row.hash) return flaw("hash");
    previous = row.hash;
    const prices = parsePrices(row);
    if (prices === undefined) return flaw("content cannot be read");
    lists.set(row.id, prices.list);
  }
  return lists;
}

type Head = {
  userId: number;
  seq: number;
  balance: number;
  used: number;
  debt: number;
  hash: string;
};

const noHead: Head = { userId: 0, seq: 0, balance: 0, used: 0, debt: 0, hash: chainStart };

/** The versions by which calls were charged and their costs computed. */
type Lists = { readonly prices: Prices; readonly costs: CostVersions };

async function walkEntries(db: Db, lists: Lists): Promise<Omit<Proof, "warnings">> {
  const watermark = await readLogWatermark(db);
  let head = noHead;
  let entries = 0;
  let charged = 0;
  const transfers = openTransfers();
  const end = (flaw: Flaw | null) => ({ flaw, entries, charged });
  for (;;) {
    const page = await pageEntries(db, head);
    const logs = await readLogs(db, page);
    for (const entry of page) {
      if (entry.user_id !== head.userId) {
        const flaw = await findHeadFlaw(db, head);
        if (flaw !== null) return end(flaw);
        head = { ...noHead, userId: entry.user_id };
      }
      const flaw = judgeEntry(head, entry) ?? judgeSettlement(entry, logs, lists, watermark);
      if (flaw !== null) return end(flaw);
      head = headOf(head, entry);
      transfers.note(entry);
      entries += 1;
      charged += chargedBy(entry);
    }
    if (page.length < pageSize) break;
  }
  return end(
    (await findHeadFlaw(db, head)) ?? (await findLooseBalance(db)) ?? transfers.findFlaw(),
  );
}

async function pageEntries(db: Db, { userId, seq }: Head): Promise<EntryTable[]> {
  return await db
    .selectFrom("entries")
    .selectAll()
    .where((eb) => eb(eb.refTuple("user_id", "seq"), ">", eb.tuple(userId, seq)))
    .orderBy("user_id")
    .orderBy("seq")
    .limit(pageSize)
    .execute();
}

function headOf(before: Head, entry: EntryTable): Head {
  return {
    userId: entry.user_id,
    seq: entry.seq,
    balance: entry.balance_after,
    used: entry.used_after,
    debt: before.debt + entry.debt,
    hash: entry.hash,
  };
}

function judgeEntry(head: Head, entry: EntryTable): Flaw | null {
  const flaw = (reason: string): Flaw => ({
    check: "T2",
    table: "entries",
    row: nameOf(entry),
    reason,
  });
  if (entry.seq !== head.seq + 1) return flaw(`follows seq ${head.seq}`);
  if (entryHash(head.hash, entry) !== entry.hash) return flaw("hash");
  if (entry.balance_after !== head.balance + entry.amount) return flaw("balance_after");
  if (entry.used_after !== head.used + chargedBy(entry)) return flaw("used_after");
  return isDebtOf(head, entry) ? null : flaw("debt");
}

function nameOf(entry: EntryTable): string {
  return `user_id=${entry.user_id} seq=${entry.seq}`;
}

type Logs = ReadonlyMap<number, Selectable<LogTable>>;

async function readLogs(db: Db, page: readonly EntryTable[]): Promise<Logs> {
  const ids = page.flatMap((entry) => (entry.log_id > 0 ? [entry.log_id] : []));
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("logs").selectAll().where("id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

function judgeSettlement(
  entry: EntryTable,
  logs: Logs,
  { prices, costs }: Lists,
  watermark: number,
): Flaw | null {
  if (entry.kind !== "settle") return null;
  const log = logs.get(entry.log_id);
  if (log === undefined) {
    if (entry.log_id <= watermark) return null;
    return { check: "T3", table: "entries", row: nameOf(entry), reason: "its log row is missing" };
  }
  const row = `id=${log.id}`;
  const isHashed = logHash(log) === entry.detail && log.ending === endingOf(log);
  if (!isHashed || !settlingCausesOf(log.request_id).includes(entry.cause)) {
    return { check: "T3", table: "logs", row, reason: "is not what its settlement covers" };
  }
  if (log.quota !== 0 - entry.amount) {
    return { check: "T4", table: "logs", row, reason: "quota is not what was charged" };
  }
  const reason = judgeCharge(log, prices);
  if (reason !== null) return { check: "T4", table: "logs", row, reason };
  const wrong = judgeCost(log, parseUsage(log.usage) ?? noUsage, costs);
  return wrong === null ? null : { check: "T15", table: "logs", row, reason: wrong };
}

function judgeCharge(log: Selectable<LogTable>, prices: Prices): string | null {
  const list = prices.get(log.price_version);
  if (list === undefined) return `price version ${log.price_version} is missing`;
  const price = resolvePrice(list, log.model_name, log.group);
  if (price === undefined) return "its price version has no price for it";
  const usage = parseUsage(log.usage);
  if (usage === undefined) return "usage cannot be read";
  if (usage.minute !== undefined && !isMinuteOf(log, usage.minute)) {
    return "its price is of an hour at which it was not reserved";
  }
  const due = charge(price, usage);
  return due === log.quota + log.write_off ? judgeSeen(log, usage) : `formula gives ${due}`;
}

/** By how many seconds a clock may have been set while a call ran. */
const clockStep = 120;
const daySeconds = 86_400;

/** Whether a call ran at a minute of the day, in UTC. */
function isMinuteOf(log: Selectable<LogTable>, minute: number): boolean {
  const first = log.created_at - log.use_time - clockStep;
  const after = (((minute * 60 + 59 - first) % daySeconds) + daySeconds) % daySeconds;
  return after <= log.use_time + 2 * clockStep + 59;
}

/**
 * Cached prices by price list, group and model. The cache of a list is emptied when it reaches
 * `resolvedMax`.
 */
const resolved = new WeakMap<PriceList, Map<string, UnitPrice | undefined>>();
const resolvedMax = 10_000;

function resolvePrice(list: PriceList, model: string, group: string): UnitPrice | undefined {
  const known = resolved.get(list) ?? new Map<string, UnitPrice | undefined>();
  resolved.set(list, known);
  // The length of the group's name makes the key unique, whatever characters the name contains.
  const key = `${group.length} ${group}${model}`;
  if (known.has(key)) return known.get(key);
  if (known.size >= resolvedMax) known.clear();
  const price = unitPrice(list, model, group);
  known.set(key, price);
  return price;
}

function parseUsage(text: string): ChargedUsage | undefined {
  try {
    return chargedUsage.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Finds a balance row that does not equal the sum of the user's entries (T1) or does not agree with
 * the last entry of the user's chain (part of T2).
 */
async function findHeadFlaw(db: Db, head: Head): Promise<Flaw | null> {
  if (head.userId === 0) return null;
  const row = await db
    .selectFrom("balances")
    .selectAll()
    .where("user_id", "=", head.userId)
    .executeTakeFirst();
  const name = `user_id=${head.userId}`;
  const flaw = (check: "T1" | "T2", reason: string): Flaw => ({
    check,
    table: "balances",
    row: name,
    reason,
  });
  if (row === undefined) return flaw("T1", "is missing");
  if (row.balance !== head.balance) return flaw("T1", `balance is not ${head.balance}`);
  if (row.used !== head.used) return flaw("T1", `used is not ${head.used}`);
  if (row.debt !== head.debt) return flaw("T1", `debt is not ${head.debt}`);
  if (row.entry_count !== head.seq) return flaw("T2", `entry_count is not ${head.seq}`);
  return row.head_hash === head.hash ? null : flaw("T2", "head_hash");
}

/** Finds a balance row that is not empty although the user has no entries. */
async function findLooseBalance(db: Db): Promise<Flaw | null> {
  const row = await db
    .selectFrom("balances")
    .selectAll()
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("entries")
            .select("entries.seq")
            .whereRef("entries.user_id", "=", "balances.user_id"),
        ),
      ),
    )
    .where((eb) =>
      eb.or([
        eb("balance", "<>", 0),
        eb("used", "<>", 0),
        eb("debt", "<>", 0),
        eb("entry_count", "<>", 0),
        eb("head_hash", "<>", chainStart),
      ]),
    )
    .orderBy("user_id")
    .executeTakeFirst();
  if (row === undefined) return null;
  return { check: "T1", table: "balances", row: `user_id=${row.user_id}`, reason: "no entries" };
}

async function findUnsettledLog(db: Db): Promise<Flaw | null> {
  const row = await db
    .selectFrom("logs")
    .select("id")
    .where("type", "=", 2)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("entries")
            .select("entries.seq")
            .whereRef("entries.log_id", "=", "logs.id")
            .where((eb) =>
              eb.or([
                eb("entries.cause", "=", eb(eb.val("settle:"), "||", eb.ref("logs.request_id"))),
                eb("entries.cause", "=", eb(eb.val("again:"), "||", eb.ref("logs.request_id"))),
              ]),
            ),
        ),
      ),
    )
    .orderBy("id")
    .executeTakeFirst();
  if (row === undefined) return null;
  return { check: "T3", table: "logs", row: `id=${row.id}`, reason: "has no settlement" };
}
