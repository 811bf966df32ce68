/** The dashboard's sums from totals of days and hours equal those of the rows of the hours. */

import { describe, expect, test } from "bun:test";
import { type DashboardSums, shareMax } from "@tollgate/contract/endpoints/dashboard.ts";
import { seededRandom } from "#base/testing/random.ts";
import type { Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import { migrations } from "#db/migrations/index.ts";
import { bindStore } from "#db/store.ts";
import type { UsageHourTable } from "#db/tables/ledger.ts";
import { testDialects } from "#db/testing/database.ts";
import { addCalls } from "#modules/ledger/testing/sums.ts";
import type { CallLogRow } from "#modules/logs/logs.ts";
import { call, hour, now, openLogs } from "#modules/logs/testing/logs.ts";
import { bucketsOf } from "./buckets.ts";
import type { CallFilter } from "./dashboard.repo.ts";
import { type DashboardFigures, dashboardStore } from "./dashboard.store.ts";

type HourRow = Selectable<UsageHourTable>;

const everything: CallFilter = {
  userId: null,
  username: "",
  tokenId: 0,
  modelName: "",
  group: "",
  channel: 0,
};
const random = seededRandom(20_270_115);
const present = now - (now % hour);

/** Calls of 40 users over thirty days, so that more take part than a share names. */
function scatter(count: number): CallLogRow[] {
  return Array.from({ length: count }, (_, at) => {
    const user = random.between(1, 40);
    return {
      ...call,
      request_id: `r${at}`,
      created_at: now - random.below(30 * 24 * hour),
      user_id: user,
      token_id: random.chance(0.1) ? 0 : user * 2 + random.below(2),
      channel: random.between(1, 4),
      model_name: random.pick(["gpt-4o", "claude-3", "rare"]),
      group: random.pick(["default", "vip"]),
      quota: random.below(1_000),
    };
  });
}

type Span = { readonly start: number; readonly end: number };

function matches(row: HourRow, filter: CallFilter, { start, end }: Span): boolean {
  const { userId, username, tokenId, modelName, group, channel } = filter;
  return (
    row.hour >= start &&
    row.hour < end &&
    (userId === null || row.user_id === userId) &&
    (username === "" || row.user_id === 7) &&
    (tokenId === 0 || row.token_id === tokenId) &&
    (modelName === "" || row.model_name === modelName) &&
    (group === "" || row.group === group) &&
    (channel === 0 || row.channel_id === channel)
  );
}

function sumOf(rows: readonly HourRow[]): DashboardSums {
  const total = (of: (row: HourRow) => number): number =>
    rows.reduce((sum, row) => sum + of(row), 0);
  return {
    quota: total((row) => row.quota),
    calls: total((row) => row.request_count),
    prompt_tokens: total((row) => row.prompt_tokens),
    completion_tokens: total((row) => row.completion_tokens),
  };
}

/** What a share must be, from the rows themselves. */
function shareOf(rows: readonly HourRow[], idOf: (row: HourRow) => number) {
  const ids = [...new Set(rows.map(idOf))];
  const parts = ids
    .map((id) => ({ id, rows: rows.filter((row) => idOf(row) === id) }))
    .map((part) => ({ ...part, sums: sumOf(part.rows) }))
    .toSorted((a, b) => b.sums.quota - a.sums.quota || a.id - b.id);
  const rest = parts.slice(shareMax);
  return {
    top: parts.slice(0, shareMax).map(({ id, sums }) => ({ id, ...sums })),
    rest: { ...sumOf(rest.flatMap((part) => part.rows)), count: rest.length },
  };
}

function expectDashboard(
  found: DashboardFigures,
  rows: readonly HourRow[],
  asked: { readonly filter: CallFilter; readonly span: Span; readonly before: Span },
  label: string,
): void {
  const { filter, span, before } = asked;
  const within = rows.filter((row) => matches(row, filter, span));
  const earlier = rows.filter((row) => matches(row, filter, before));
  expect(found.totals, label).toMatchObject(sumOf(within));
  expect(found.before, label).toMatchObject(sumOf(earlier));
  expect(found.tokens, label).toMatchObject(shareOf(within, (row) => row.token_id));
  expect(found.users, label).toMatchObject(shareOf(within, (row) => row.user_id));
  expect(found.channels, label).toMatchObject(shareOf(within, (row) => row.channel_id));
  const names = found.series.map(({ model_name }) => model_name);
  expect(new Set(names), label).toEqual(new Set(within.map((row) => row.model_name)));
  for (const { model_name, quota, calls } of found.series) {
    const bars = found.buckets.map((from, place) => {
      const to = found.buckets[place + 1] ?? Number.POSITIVE_INFINITY;
      const bar = within.filter(
        (row) => row.model_name === model_name && row.hour >= from && row.hour < to,
      );
      return sumOf(bar);
    });
    expect(quota, label).toEqual(bars.map((sums) => sums.quota));
    expect(calls, label).toEqual(bars.map((sums) => sums.calls));
  }
}

async function readHours(db: Db): Promise<HourRow[]> {
  return await db.selectFrom("usage_hours").selectAll().execute();
}

for (const dialect of testDialects) {
  describe(`sums of the dashboard on ${dialect}`, () => {
    test("O-576: with totals of days, of hours or none, sums are those of the hours", async () => {
      const { db, store: logs, close } = await openLogs(dialect);
      const store = bindStore(dashboardStore, db);
      const calls = scatter(1_500);
      await addCalls(db, calls, calls.slice(0, 40), now * 1_000);
      const filters: Partial<CallFilter>[] = [
        {},
        { modelName: "rare" },
        { group: "vip" },
        { channel: 2, modelName: "gpt-4o" },
        { userId: 7 },
        { username: "alice", channel: 1 },
        { tokenId: 15 },
      ];
      const check = async (state: string): Promise<void> => {
        const rows = await readHours(db);
        for (const narrowed of [...filters, {}, {}, {}]) {
          const filter = { ...everything, ...narrowed };
          const start = present - random.between(1, 29 * 24) * hour;
          const end = Math.min(start + random.between(1, 29 * 24) * hour, present + hour);
          const span = { start, end };
          const before = { start: start - (end - start), end: start };
          const zone = random.pick(["UTC", "UTC", "Asia/Shanghai"]);
          const granularity = random.pick(["hour", "day", "day", "week"] as const);
          const asked = { filter, span, before, zone, granularity, wide: true, now };
          const found = await store.readDashboard(asked);
          expect(found.buckets).toEqual(bucketsOf(span, { zone, granularity }));
          expectDashboard(found, rows, asked, JSON.stringify({ state, ...asked }));
        }
      };
      const advance = async (until: number): Promise<void> => {
        while (await logs.advanceTotals(until)) continue;
      };
      await check("no totals");
      await advance(now - 12 * 24 * hour);
      await check("totals of the older half");
      await advance(now);
      await check("all totals");
      // Settled late: their hours have totals that lack them.
      const late = scatter(30).map((row) => ({ ...row, created_at: row.created_at - 3 * hour }));
      await addCalls(db, late, [], now * 1_000);
      expect(await db.selectFrom("stale_hours").select("hour").execute()).not.toBeEmpty();
      await check("totals that hours have changed after");
      await advance(now);
      await check("totals made anew");
      await close();
    });

    /** Leaves out the columns that later migrations have added. */
    const withoutCosts = <Row extends object>(row: Row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith("cost")));

    test("the migration makes the totals that the job would have made", async () => {
      const { db, store: logs, close } = await openLogs(dialect);
      await addCalls(db, scatter(500), [], now * 1_000);
      while (await logs.advanceTotals(now - 10 * 24 * hour)) continue;
      const read = async () => ({
        callers: await db
          .selectFrom("caller_totals")
          .selectAll()
          .orderBy("span")
          .orderBy("start")
          .orderBy("user_id")
          .orderBy("token_id")
          .execute(),
        models: await db
          .selectFrom("model_totals")
          .selectAll()
          .orderBy("hour")
          .orderBy("model_name")
          .orderBy("group")
          .execute(),
      });
      const made = await read();
      expect(new Set(made.callers.map(({ span }) => span)).size).toBe(2);
      expect(made.models).not.toBeEmpty();
      await db.schema.dropTable("caller_totals").execute();
      await db.schema.dropTable("model_totals").execute();
      await migrations["20261123-1610-caller-totals"]?.(db as never, dialect);
      const before: Record<string, object[]> = await read();
      expect(before).toEqual({
        callers: made.callers.map(withoutCosts),
        models: made.models.map(withoutCosts),
      });
      await close();
    });

    test("the dashboard reads what the totals have from them", async () => {
      const { db, store: logs, close } = await openLogs(dialect);
      const store = bindStore(dashboardStore, db);
      const eightDays = 8 * 24 * hour;
      const start = present - (present % eightDays) - eightDays;
      await addCalls(db, [{ ...call, created_at: start }], [], now * 1_000);
      while (await logs.advanceTotals(now)) continue;
      await db.updateTable("usage_totals").set({ quota: 1 }).where("span", "=", 86_400).execute();
      await db.updateTable("model_totals").set({ quota: 2 }).execute();
      await db.updateTable("caller_totals").set({ quota: 3 }).where("span", "=", 86_400).execute();
      await db.updateTable("caller_totals").set({ quota: 4 }).where("span", ">", 86_400).execute();
      const span = { start, end: start + 24 * hour };
      const before = { start: start - 24 * hour, end: start };
      const asked = { filter: everything, before, zone: "UTC", wide: true, now };
      const read = async (granularity: "day" | "hour", end: number) => {
        const ends = { span: { start, end }, granularity };
        const { totals, users } = await store.readDashboard({ ...asked, ...ends });
        return [totals.quota, users?.top[0]?.quota];
      };
      expect(await read("day", span.end)).toEqual([1, 3]);
      expect(await read("hour", start + eightDays)).toEqual([2, 4]);
      expect(await read("day", start + hour)).toEqual([2, call.quota]);
      await close();
    });
  });
}
