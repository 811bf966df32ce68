/**
 * The steps of a preview, which run beside the database: each charges some calls again and returns
 * sums of them, so that other queries get their turn between two steps.
 */

import { type PriceList, priceList } from "@tollgate/contract/money/charge.ts";
import type { KeptReason, TriedPrices } from "@tollgate/contract/endpoints/price-previews.ts";
import { isOptionName, isPriceOption, parseOption } from "@tollgate/contract/options/options.ts";
import { sql } from "kysely";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import {
  mendCauseOf,
  rechargedColumns,
  refundCauseOf,
  rerateCauseOf,
  reversalCauseOf,
} from "#modules/ledger/ledger.ts";
import { changeList } from "#modules/pricing/model-changes.ts";
import { completeOptions } from "#modules/pricing/price-changes.ts";
import { findPrices, parsePrices } from "#modules/pricing/pricing.ts";
import { chargeAgain, netOf, type Resolved, resolvePrices } from "./charge-again.ts";
import { addTo, type KeyedSums, type StepSums } from "./preview-sums.ts";

/** What is tried: changes as they were sent, or the whole list that there would be. */
export type Tried =
  | { readonly kind: "changes"; readonly prices: TriedPrices }
  | { readonly kind: "list"; readonly list: PriceList };

/** A preview as its steps know it. */
export type PreviewPlan = {
  /** Names the preview; a thread that knows it has its prices already. */
  readonly name: string;
  readonly tried: Tried;
  /** Id of the user who tries it. */
  readonly by: number;
  readonly nowMs: number;
  /** The calls from `start` to before `end`, whose rows have at most the id `last`; Unix seconds. */
  readonly start: number;
  readonly end: number;
  readonly last: number;
  /** The price version that the change is tried on. */
  readonly version: number;
};

/** The row after which the next step begins. */
export type CallPlace = { readonly createdAt: number; readonly id: number };

type Step = StepSums & {
  readonly rows: number;
  /** Null: there are no more rows. */
  readonly next: CallPlace | null;
};

/** How many rows one step charges again: some 30 ms. */
const stepRows = 1_000;

/**
 * Begins a preview: finds the version in force, and how many calls there are about.
 * @throws Refusal `invalid-input` if what is tried is invalid.
 */
export async function beginPreview(
  db: Db,
  asked: Omit<PreviewPlan, "last" | "version">,
): Promise<{ readonly plan: PreviewPlan; readonly about: number }> {
  const row = await findPrices(db);
  if (row === undefined) throw new Error("no price version in force");
  const { last } = await db
    .selectFrom("logs")
    .select(sql<number>`coalesce(max(id), 0)`.as("last"))
    .executeTakeFirstOrThrow();
  const { about } = await db
    .selectFrom("usage_hours")
    .select(sql<number>`coalesce(sum(request_count), 0)`.as("about"))
    .where("hour", ">=", asked.start)
    .where("hour", "<", asked.end)
    .executeTakeFirstOrThrow();
  const plan = { ...asked, last: Number(last), version: row.id };
  await pricesOf(db, plan);
  return { plan, about: Number(about) };
}

/** The prices that calls were charged by and are charged again by, of one preview. */
type Prices = {
  readonly after: Resolved;
  /** By the id of the version; undefined: it cannot be read. */
  readonly before: Map<number, Resolved | undefined>;
};

/** The prices of the newest previews whose steps this thread has run. */
const known = new Map<string, Prices>();

/** How many previews keep their prices in a thread. */
const knownMax = 4;

async function pricesOf(db: Db, plan: PreviewPlan): Promise<Prices> {
  const found = known.get(plan.name);
  if (found !== undefined) return found;
  const prices: Prices = { after: resolvePrices(await triedList(db, plan)), before: new Map() };
  for (const name of [...known.keys()].slice(0, Math.max(0, known.size + 1 - knownMax))) {
    known.delete(name);
  }
  known.set(plan.name, prices);
  return prices;
}

/** Makes the list that is tried, exactly as a save would make it. */
async function triedList(db: Db, plan: PreviewPlan): Promise<PriceList> {
  const { tried, by, nowMs, version } = plan;
  if (tried.kind === "list") return tried.list;
  const list = await listOf(db, version);
  if (list === undefined) throw new Refusal("not-found", "价格版本不存在或无法读取");
  const { changes, books, options, version: earlier } = tried.prices;
  if (earlier !== undefined) {
    const whole = await listOf(db, earlier);
    if (whole === undefined) throw new Refusal("not-found", "价格版本不存在或无法读取");
    return whole;
  }
  const parts = partsOf(options);
  const optioned = completeOptions(list, { ...list, ...parts }, { nowMs, by });
  return changeList(optioned, { changes, books, from: "form", by, nowMs });
}

/** Reads options of prices, by the rules by which they are saved. */
function partsOf(options: TriedPrices["options"]): Partial<PriceList> {
  const parts: [string, unknown][] = [];
  for (const [key, text] of Object.entries(options)) {
    if (!isOptionName(key) || !isPriceOption(key)) {
      throw new Refusal("invalid-input", `不是价格选项：${key.slice(0, 40)}`);
    }
    const parsed = parseOption(key, text);
    if (!parsed.ok) throw new Refusal("invalid-input", parsed.message);
    parts.push([key, parsed.value]);
  }
  // Safe cast: the schema has just read each part, and parts that are not tried are not there.
  return priceList.partial().parse(Object.fromEntries(parts)) as Partial<PriceList>;
}

async function listOf(db: Db, id: number): Promise<PriceList | undefined> {
  const row = await db
    .selectFrom("price_versions")
    .select(["id", "content"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? undefined : parsePrices(row)?.list;
}

/** Adds up what the next calls were charged, and what they would be charged. */
export async function previewStep(
  db: Db,
  plan: PreviewPlan,
  after: CallPlace | null,
): Promise<Step> {
  const { calls, rows, next } = await chargeNext(db, { plan, after, limit: stepRows });
  const models: KeyedSums<string> = new Map();
  const groups: KeyedSums<string> = new Map();
  const users: KeyedSums<number> = new Map();
  const kept: Map<KeptReason, readonly [calls: number, quota: number]> = new Map();
  for (const { row, before, again } of calls) {
    const call = { before, after: again.charged, isKept: again.kept !== null, cost: row.cost };
    addTo(models, row.model_name, call);
    addTo(groups, row.group, call);
    addTo(users, row.user_id, call);
    if (again.kept === null) continue;
    const [count, quota] = kept.get(again.kept) ?? [0, 0];
    kept.set(again.kept, [count + 1, quota + before]);
  }
  return { models, groups, users, kept, rows, next };
}

type Row = Awaited<ReturnType<typeof readRows>>[number];

/** A call that was charged again: `before` is what it is charged now. */
type RechargedCall = {
  readonly row: Row;
  readonly before: number;
  readonly again: ReturnType<typeof chargeAgain>;
  /** Whether its charge was given back since the plan was made; it counts as it was then. */
  readonly isGone: boolean;
};

type NextCalls = {
  readonly calls: readonly RechargedCall[];
  readonly rows: number;
  /** Null: there are no more rows. */
  readonly next: CallPlace | null;
};

/** Charges the next calls of a plan again; nothing is written. */
export async function chargeNext(
  db: Db,
  asked: {
    readonly plan: PreviewPlan;
    readonly after: CallPlace | null;
    readonly limit: number;
  },
): Promise<NextCalls> {
  const { plan, after, limit } = asked;
  const prices = await pricesOf(db, plan);
  const rows = await readRows(db, plan, { after, limit });
  const gone = await findGone(db, plan, rows);
  const calls: RechargedCall[] = [];
  for (const row of rows) {
    const isGone = gone.has(row.id);
    if (row.reversed !== 0 && !isGone) continue;
    const version = row.price_version;
    if (!prices.before.has(version)) {
      const list = await listOf(db, version);
      prices.before.set(version, list === undefined ? undefined : resolvePrices(list));
    }
    const then = prices.before.get(version)?.(row.model_name, row.group);
    const now = prices.after(row.model_name, row.group);
    const asThen = isGone ? { ...row, refunded: 0, rerated: gone.get(row.id) ?? 0 } : row;
    calls.push({ row, before: netOf(asThen), again: chargeAgain(asThen, then, now), isGone });
  }
  const last = rows.at(-1);
  const next =
    last === undefined || rows.length < limit ? null : { createdAt: last.created_at, id: last.id };
  return { calls, rows: rows.length, next };
}

/**
 * Finds the calls whose charge was given back since the plan was made.
 *
 * @returns by the id of the row what re-rates had added to the charge until then.
 */
async function findGone(
  db: Db,
  plan: PreviewPlan,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, number>> {
  const given = rows.filter(({ refunded, reversed }) => refunded > 0 || reversed !== 0);
  if (given.length === 0) return new Map();
  const causes = given.flatMap(({ request_id: id }) => [
    refundCauseOf(id),
    mendCauseOf(id),
    reversalCauseOf(id),
    rerateCauseOf(0, id),
  ]);
  const entries = await db
    .selectFrom("entries")
    .select(["kind", "amount", "log_id"])
    .where("cause", "in", causes)
    .where("created_at", ">=", Math.floor(plan.nowMs / 1_000))
    .execute();
  const gone = new Map<number, number>();
  for (const { kind, amount, log_id: id } of entries) {
    // What re-rates had added was taken back with the charge.
    gone.set(id, (gone.get(id) ?? 0) + (kind === "rerate" ? amount : 0));
  }
  return gone;
}

const rowColumns = [
  ...rechargedColumns,
  "use_time",
  "write_off",
  "usage",
  "price_version",
] as const;

async function readRows(
  db: Db,
  plan: PreviewPlan,
  { after, limit }: { readonly after: CallPlace | null; readonly limit: number },
) {
  const { createdAt, id } = after ?? { createdAt: plan.start, id: 0 };
  return await db
    .selectFrom("logs")
    .select([...rowColumns])
    .where((eb) => eb(eb.refTuple("created_at", "id"), ">", eb.tuple(createdAt, id)))
    .where("created_at", "<", plan.end)
    .where("id", "<=", plan.last)
    .where("type", "=", 2)
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Reads the names of users; one who was deleted has none. */
export async function readUserNames(
  db: Db,
  ids: readonly number[],
): Promise<readonly (readonly [id: number, name: string])[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("users")
    .select(["id", "username"])
    .where("id", "in", [...ids])
    .execute();
  return rows.map(({ id, username }) => [id, username]);
}
