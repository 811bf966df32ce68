/**
 * Tests of what the log answers about all rows of a list: whatever the filters, the sums of a chart,
 * the counts of a facet and the groups of failed calls are those of the rows, to the unit.
 */

import {
  type ChartPart,
  chartParts,
  facetValuesMax,
  failureChannelsMax,
  type LogFacet,
  logFacets,
} from "@tollgate/contract/endpoints/log-answers.ts";
import { readEnding } from "@tollgate/contract/logs/endings.ts";
import { describe, expect, test } from "bun:test";
import { seededRandom } from "#base/testing/random.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { addCalls } from "#modules/ledger/testing/sums.ts";
import type { LogFilter } from "#modules/logs/log-filter.repo.ts";
import { type CallLogRow, insertCallLogs, markReversed } from "#modules/logs/logs.ts";
import { hour, now, openLogs } from "#modules/logs/testing/logs.ts";
import { scatter } from "#modules/logs/testing/scatter.ts";
import { endingOf } from "./ending.ts";

const everything: LogFilter = {
  userId: null,
  username: "",
  lookup: null,
  tokenName: "",
  tokenId: 0,
  modelName: "",
  type: 0,
  start: 0,
  end: 0,
  channel: 0,
  group: "",
  afterId: 0,
  requestId: "",
  usageSource: "",
  quotaMin: 0,
  ending: "",
};

type Stored = CallLogRow & { readonly reversed: number; readonly ending: string };

/** Makes rows of which some failed for several reasons, and some charged answers broke off. */
function rowsOf(count: number): Stored[] {
  const { below, pick } = seededRandom(11);
  return scatter(count).map((row, at) => {
    const failure = JSON.stringify({
      status_code: pick([403, 429, 502]),
      error_type: "new_api_error",
      error_code: pick(["insufficient_user_quota", "rate_limit_exceeded", null]),
      frt: -1_000,
      admin_info: { use_channel: [] },
    });
    const note = pick(["", "", "", "，客户端断开", "，上游中断", "，额度不足，输出中止"]);
    const given: CallLogRow = {
      ...row,
      quota: row.type === 2 ? below(9_000) : 0,
      content: row.type === 2 ? `模型倍率 1${note}` : "failed",
      other: row.type === 5 ? failure : row.other,
      usage_source: pick(["upstream", "upstream", "local"]),
    };
    const reversed = row.type === 2 && at % 23 === 0 ? 1 : 0;
    return { ...given, reversed, ending: endingOf(given) };
  });
}

/** Stores the rows as the books do, and gives some charges back. */
async function store(db: Db, rows: readonly Stored[]): Promise<void> {
  const charged = rows.filter(({ type }) => type === 2);
  const reversed = charged.filter((row) => row.reversed === 1);
  await db.transaction().execute(async (tx) => {
    const plain = rows.map(({ reversed: _, ending: __, ...row }) => row);
    const ids = await insertCallLogs(tx, plain);
    const back = new Set(reversed.map(({ request_id }) => request_id));
    await markReversed(
      tx,
      ids.flatMap(({ id, request_id }) => (back.has(request_id) ? [id] : [])),
    );
  });
  await addCalls(db, charged, reversed, now * 1_000);
}

function matches(row: Stored, filter: LogFilter): boolean {
  const { modelName, channel, group, tokenId, userId, username, start, end, type } = filter;
  const { usageSource, quotaMin, ending = "" } = filter;
  const isModel = modelName.startsWith("=")
    ? row.model_name === modelName.slice(1)
    : row.model_name.toLowerCase().includes(modelName);
  const isEnded =
    ending === "" ||
    (ending === "complete" ? row.type === 2 && row.ending === "" : row.ending === ending) ||
    row.ending.startsWith(`${ending} `);
  return (
    isModel &&
    isEnded &&
    (type === 0 || row.type === type) &&
    (channel === 0 || row.channel === channel) &&
    (group === "" || row.group === group) &&
    (tokenId === 0 || row.token_id === Math.max(0, tokenId)) &&
    (userId === null || row.user_id === userId) &&
    (username === "" || row.username === username) &&
    (usageSource === "" || row.usage_source === usageSource) &&
    row.quota >= quotaMin &&
    row.created_at >= start &&
    (end === 0 || row.created_at <= end)
  );
}

/** The calls of rows: of charged ones those whose charge was not given back, and failed ones. */
function callsOf(rows: readonly Stored[], filter: LogFilter): readonly Stored[] {
  return rows.filter(
    (row) => matches(row, filter) && (row.type === 5 || (row.type === 2 && row.reversed === 0)),
  );
}

function sumsOf(rows: readonly Stored[]) {
  const charged = rows.filter(({ type }) => type === 2);
  return {
    quota: charged.reduce((sum, { quota }) => sum + quota, 0),
    calls: charged.length,
    failures: rows.length - charged.length,
  };
}

/** The facets of columns; those of tags and conversations have tests of their own. */
const columnFacets = logFacets.filter((facet) => facet !== "tag" && facet !== "conversation");
type ColumnFacet = (typeof columnFacets)[number];

function valueOf(row: Stored, facet: ColumnFacet): string {
  switch (facet) {
    case "channel":
      return String(row.channel);
    case "finish":
      return readEnding(row.ending).finish;
    case "group":
      return row.group;
    case "model":
      return row.model_name;
    case "reason":
      return row.ending;
    case "status":
      return String(readEnding(row.ending).status);
    case "token":
      return String(row.token_id);
    case "user":
      return String(row.user_id);
  }
}

/** Makes filters of one or two random conditions, over random times. */
function filtersOf(count: number): LogFilter[] {
  const { below, pick, chance } = seededRandom(5);
  const conditions: readonly Partial<LogFilter>[] = [
    {},
    {},
    { modelName: "=gpt-4o" },
    { modelName: "o" },
    { channel: 3 },
    { group: "vip" },
    { tokenId: 11 },
    { tokenId: -1 },
    { userId: 7 },
    { username: "bob" },
    { type: 2 },
    { type: 5 },
    { type: 4 },
    { usageSource: "local" },
    { quotaMin: 4_000 },
    { ending: "failed" },
    { ending: "failed 429" },
    { ending: "failed 502 new_api_error" },
    { ending: "left" },
    { ending: "complete" },
  ];
  return Array.from({ length: count }, () => {
    const start = chance(0.3) ? 0 : now - below(500) * hour - below(hour);
    const length = pick([1_200, 4 * hour + 77, 40 * hour, 600 * hour]);
    const time = { start, end: start === 0 || chance(0.2) ? 0 : start + length };
    return { ...everything, ...pick(conditions), ...pick(conditions), ...time };
  });
}

for (const dialect of testDialects) {
  describe(`what the log answers on ${dialect}`, () => {
    test("the sums of a chart are those of all rows of its filters, to the unit", async () => {
      const { db, store: opened, close } = await openLogs(dialect);
      const rows = rowsOf(700);
      await store(db, rows);
      const { pick } = seededRandom(3);
      // First nothing has totals, then all that is over.
      for (const withTotals of [false, true]) {
        while (withTotals && (await opened.advanceTotals(now))) continue;
        for (const filter of filtersOf(120)) {
          const by: ChartPart = pick(chartParts);
          const measure = pick(["quota", "calls", "failures"] as const);
          const label = JSON.stringify({ filter, by, measure, withTotals });
          const found = await opened.readChart(filter, { by, measure, zone: "UTC", now });
          const expected = sumsOf(callsOf(rows, filter));
          expect(found.totals, label).toEqual(expected);
          const drawn = { quota: 0, calls: 0, failures: 0 };
          for (const one of found.series) {
            for (const [place, at] of found.buckets.entries()) {
              const until = found.buckets[place + 1] ?? found.end;
              expect(until, label).toBeGreaterThan(at);
              drawn.quota += one.quota[place] ?? 0;
              drawn.calls += one.calls[place] ?? 0;
              drawn.failures += one.failures[place] ?? 0;
            }
          }
          expect(drawn, label).toEqual(expected);
          expect(found.is_whole).toBe(true);
        }
      }
      await close();
    });

    test("each bar of a chart has the calls of its own time", async () => {
      const { db, store: opened, close } = await openLogs(dialect);
      const rows = rowsOf(500);
      await store(db, rows);
      for (const length of [1_500, 5 * hour, 50 * hour, 400 * hour]) {
        const filter = { ...everything, start: now - length };
        const asked = { by: "model", measure: "calls", zone: "Asia/Shanghai", now } as const;
        const { buckets, series, end } = await opened.readChart(filter, asked);
        expect(buckets.length).toBeGreaterThan(10);
        for (const [place, at] of buckets.entries()) {
          const until = (buckets[place + 1] ?? end) - 1;
          const time = { start: Math.max(at, filter.start), end: until };
          const expected = sumsOf(callsOf(rows, { ...filter, ...time }));
          const calls = series.reduce((sum, one) => sum + (one.calls[place] ?? 0), 0);
          expect([length, at, calls]).toEqual([length, at, expected.calls]);
        }
      }
      await close();
    });

    test("a chart ends now, also where its list ends later", async () => {
      const { db, store: opened, close } = await openLogs(dialect);
      await store(db, rowsOf(300));
      const filter = { ...everything, start: now - hour / 2, end: now + hour };
      const asked = { by: "model", measure: "calls", zone: "UTC", now } as const;
      const { buckets, end } = await opened.readChart(filter, asked);
      expect([buckets.at(-1), end]).toEqual([now, now + 1]);
      await close();
    });

    test("a facet counts each value among the rows that the other filters match", async () => {
      const { db, store: opened, close } = await openLogs(dialect);
      const rows = rowsOf(700);
      await store(db, rows);
      const own: Readonly<Record<ColumnFacet, Partial<LogFilter>>> = {
        channel: { channel: 0 },
        finish: { ending: "" },
        group: { group: "" },
        model: { modelName: "" },
        reason: { ending: "" },
        status: { ending: "" },
        token: { tokenId: 0 },
        user: { username: "" },
      };
      for (const filter of filtersOf(60)) {
        for (const facet of columnFacets) {
          const counts = new Map<string, number>();
          for (const row of callsOf(rows, { ...filter, ...own[facet] })) {
            const value = valueOf(row, facet);
            if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
          }
          const found = await opened.readFacet(filter, { facet, prefix: "", now });
          const label = JSON.stringify({ filter, facet });
          const listed = Object.fromEntries(found.values.map((one) => [one.value, one.calls]));
          expect(listed, label).toEqual(Object.fromEntries(counts));
          expect(found.more, label).toBe(Math.max(0, counts.size - facetValuesMax));
        }
      }
      await close();
    });

    test("what is typed into a facet finds names, ids and codes that begin so", async () => {
      const { db, store: opened, close } = await openLogs(dialect);
      await store(db, rowsOf(300));
      const find = async (facet: LogFacet, prefix: string): Promise<string[]> => {
        const { values } = await opened.readFacet(everything, { facet, prefix, now });
        return values.map(({ name, value }) => `${value} ${name}`);
      };
      expect(await find("user", "ALI")).toEqual(["7 alice"]);
      expect(await find("channel", "ma")).toEqual(["3 main"]);
      expect(await find("model", "gpt-4O-")).toEqual(["GPT-4o-mini GPT-4o-mini"]);
      expect(await find("model", "nobody")).toEqual([]);
      const reasons = await find("reason", "rate_");
      expect(reasons).not.toBeEmpty();
      expect(reasons.filter((reason) => !reason.includes("rate_limit_exceeded"))).toEqual([]);
      await close();
    });

    test("calls that ended alike are one group, with its users, times and newest call", async () => {
      const { db, store: opened, close } = await openLogs(dialect);
      const rows = rowsOf(600);
      await store(db, rows);
      for (const filter of filtersOf(60)) {
        const groups = new Map<string, Stored[]>();
        for (const row of callsOf(rows, filter)) {
          if (row.ending !== "") groups.set(row.ending, [...(groups.get(row.ending) ?? []), row]);
        }
        const found = await opened.readFailures(filter, now);
        const label = JSON.stringify(filter);
        expect(found.map(({ ending }) => ending).toSorted(), label).toEqual(
          [...groups.keys()].toSorted(),
        );
        for (const { ending, calls, users, channels, first_at, last_at, example } of found) {
          const of = groups.get(ending) ?? [];
          const times = of.map(({ created_at }) => created_at);
          const people = new Set(of.map(({ user_id }) => user_id));
          expect({ calls, users, first_at, last_at }, label).toEqual({
            calls: of.length,
            users: people.size,
            first_at: Math.min(...times),
            last_at: Math.max(...times),
          });
          expect(of.map(({ request_id }) => request_id)).toContain(example?.request_id ?? "");
          const counts = new Map<number, number>();
          for (const { channel } of of) counts.set(channel, (counts.get(channel) ?? 0) + 1);
          counts.delete(0);
          const most = [...counts].toSorted(([a, one], [b, other]) => other - one || a - b);
          expect(channels.map(({ id, calls: count }) => [id, count])).toEqual(
            most.slice(0, failureChannelsMax),
          );
        }
      }
      await close();
    });

    test("a file has the rows of the list in its order, and none that come later", async () => {
      const { db, store: opened, close } = await openLogs(dialect);
      const rows = rowsOf(300);
      await store(db, rows);
      for (const filter of filtersOf(40)) {
        const sorted = { ...filter, sort: { by: "quota", order: "desc" } } as const;
        for (const asked of [filter, sorted]) {
          const ids = await opened.listLogIds(asked);
          const found = await opened.readLogRows(ids);
          const list = await opened.pageLogs(asked, { page: 1, page_size: 500 }, now);
          expect(found).toEqual(list.items);
        }
      }
      await close();
    });

    test("a row says how its call ended, also where somebody stopped it", () => {
      const ending = (content: string, type: 2 | 5 = 2, other = "{}") =>
        endingOf({ type, content, other });
      expect(ending("模型倍率 1，分组倍率 1")).toBe("");
      expect(ending("模型倍率 1，客户端断开")).toBe("left");
      expect(ending("模型倍率 1，令牌额度不足，输出中止")).toBe("cut");
      expect(ending("模型倍率 1，服务重启，输出中止")).toBe("stopped");
      expect(ending("模型倍率 1，已由 root 停止：too long")).toBe("stopped");
      expect(ending("", 5, "")).toBe("failed 0 interrupted");
      expect(ending("x", 5, "no JSON")).toBe("failed 0 unknown");
      const error = { status_code: 400, error_type: "a", error_code: "odd code\n%" };
      expect(ending("x", 5, JSON.stringify(error))).toBe("failed 400 odd_code_");
    });
  });
}
