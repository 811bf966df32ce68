/** What the dashboard reads, in workers that only read. */

import type { Dashboard, QuotaData } from "@tollgate/contract/endpoints/dashboard.ts";
import { type Granularity, lineHours } from "@tollgate/contract/endpoints/dashboard.ts";
import { hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { sql, type SqlBool } from "kysely";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { splitList } from "#modules/channels/channels.ts";
import { areUtcDays, bucketsOf, seriesOf, sumModels } from "./buckets.ts";
import { readPromptCaches } from "./prompt-caches.repo.ts";
import { added, noSums, shareOfModels, sharesOf, sumAll, sumByModel } from "./charges.repo.ts";
import {
  type CallFilter,
  countFailures,
  listData,
  listDearest,
  readCallTimes,
  readCleanedFaults,
  readFirstBytes,
  readRates,
  type Span,
} from "./dashboard.repo.ts";
import { firstByteIn } from "./first-byte.ts";
import type { LineFacts } from "./lines.ts";

type DashboardAsked = {
  readonly filter: CallFilter;
  readonly span: Span;
  readonly before: Span;
  readonly zone: string;
  readonly granularity: Granularity;
  /** Whether users and channels are shown, too. */
  readonly wide: boolean;
  /** Unix seconds. */
  readonly now: number;
};

/** Calls and tokens per minute are counted over this many last seconds. */
const rateSeconds = 60;

/** The dashboard, but for what is an option. */
export type DashboardFigures = Omit<Dashboard, "refresh_minutes">;

async function readDashboard(db: Db, asked: DashboardAsked): Promise<DashboardFigures> {
  const { filter, span, before, zone, granularity, wide, now } = asked;
  const buckets = bucketsOf(span, { zone, granularity });
  const byDay = granularity !== "hour" && areUtcDays(buckets);
  const hours = await sumByModel(db, { filter, span, byDay });
  const models = sumModels(hours);
  const whole = models.reduce(added, noSums);
  const rates = await readRates(db, filter, { start: now - rateSeconds + 1, end: now + 1 });
  const dearest = await listDearest(db, filter, span, whole.calls);
  const totalsOf = async (sums: typeof whole, of: Span) => ({
    ...sums,
    failures: await countFailures(db, filter, of),
  });
  return {
    time_zone: zone,
    ...span,
    granularity,
    totals: await totalsOf(whole, span),
    before: await totalsOf(await sumAll(db, filter, before), before),
    ...rates,
    first_byte:
      firstByteIn(await readFirstBytes(db, filter, span)) ??
      firstByteIn(await readCallTimes(db, filter, span)),
    buckets,
    series: seriesOf(hours, models, buckets),
    models: shareOfModels(models, whole),
    ...(await sharesOf(db, { filter, span, whole, wide })),
    dearest: dearest.rows,
    dearest_of_all: dearest.isOfAll,
  };
}

async function readData(db: Db, filter: CallFilter, span: Span): Promise<QuotaData[]> {
  return await listData(db, filter, span);
}

/** The largest number of failed calls by which lines are judged; the newest count. */
const failedCallsMax = 20_000;

async function readLineFacts(db: Db, nowSeconds: number): Promise<LineFacts> {
  const start = nowSeconds - (nowSeconds % hourSeconds) - (lineHours - 1) * hourSeconds;
  const channels = await db
    .selectFrom("channels")
    .select(["id", "name", "status", "group", "other_info"])
    .orderBy("id")
    .execute();
  const calls = await db
    .selectFrom("usage_hours")
    .select(["group", "hour"])
    .select(sql<number>`coalesce(sum(request_count), 0)`.as("calls"))
    .where("hour", ">=", start)
    .groupBy(["group", "hour"])
    .execute();
  const failed = await db
    .selectFrom("logs")
    .select(["group", "created_at", "other"])
    .where("type", "=", 5)
    // Repeats the condition of the partial index on the rows that are not charged calls.
    .where(sql<SqlBool>`type <> 2`)
    .where("created_at", ">=", start)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(failedCallsMax)
    .execute();
  return {
    channels: channels.map(({ group, ...channel }) => ({ ...channel, groups: splitList(group) })),
    calls,
    failed,
    cleaned: await readCleanedFaults(db, start),
  };
}

export const dashboardStore = defineStore({
  reads: { readPromptCaches, readDashboard, readData, readLineFacts },
  writes: {},
});

export type DashboardStore = RemoteStore<typeof dashboardStore>;
