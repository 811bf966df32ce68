/**
 * Tests of what the log reads: a list, a chart, a facet and the groups of failed calls of a long log
 * read rows of it through an index, few more than they show, and otherwise sums.
 */

import type { LogFacet } from "@tollgate/contract/endpoints/log-answers.ts";
import { describe, expect, test } from "bun:test";
import { type CompiledQuery, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import type { LogFilter } from "#modules/logs/log-filter.repo.ts";
import { pageLogs } from "#modules/logs/logs.repo.ts";
import { hour, now, openLogs } from "#modules/logs/testing/logs.ts";
import { makeTotals } from "#modules/logs/testing/totals.ts";
import { readChart } from "./chart.repo.ts";
import { readFacet } from "./facets.repo.ts";
import { readFailures } from "./failures.repo.ts";
import { boundList } from "./newest-tagged.repo.ts";

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

/** Rows of the log in the tests, over so many hours; every twentieth call failed. */
const count = 40_000;
const hours = 400;

/** The rows of a page. */
const shown = 20;

/** Adds a long log, and its sums, by statements of the database. */
async function addLog(db: Db): Promise<void> {
  await sql`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
    insert into logs (request_id, created_at, type, user_id, username, token_id, token_name, channel,
      model_name, "group", quota, write_off, prompt_tokens, completion_tokens, use_time, is_stream,
      content, other, client_ip, usage, usage_source, price_version, losses, ending)
    select 'r' || n, ${sql.lit(now - hours * hour)} + n * ${sql.lit((hours * hour) / count)},
      case when n % 20 = 0 then 5 else 2 end, 7 + n % 2, 'u', 11 + n % 2, 't', 1 + n % 3,
      'model-' || n % 5, 'default', n % 100, 0, 1, 1, 1, 0, '', '', '', '', '', 1, '',
      case when n % 4000 = 0 then 'failed 502 rare' when n % 20 = 0 then 'failed 429 often'
        when n % 500 = 0 then 'left' else '' end
    from numbers`.execute(db);
  await sql`
    insert into usage_hours (hour, user_id, token_id, channel_id, model_name, "group", quota,
      request_count, prompt_tokens, completion_tokens)
    select created_at - created_at % 3600, user_id, token_id, channel, model_name, "group",
      sum(quota), count(*), sum(prompt_tokens), sum(completion_tokens)
    from logs where type = 2 group by 1, 2, 3, 4, 5, 6`.execute(db);
  await sql`
    insert into ending_hours (hour, user_id, token_id, channel_id, model_name, "group", ending,
      calls, first_at, last_at, last_id)
    select created_at - created_at % 3600, user_id, token_id, channel, model_name, "group", ending,
      count(*), min(created_at), max(created_at), max(id)
    from logs where ending <> '' group by 1, 2, 3, 4, 5, 6, 7`.execute(db);
  await sql`
    insert into log_tags (log_id, tag, user_id, created_at)
    select id, case when id % 10 = 0 then 'batch' else 'rare' end, user_id, created_at
    from logs where id % 10 = 0 or id % 1000 = 1`.execute(db);
  await makeTotals(db, now);
  await sql`analyze`.execute(db);
}

/** Collects the statements that a function runs. */
async function queriesOf(db: Db, run: (db: Db) => Promise<unknown>): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = [];
  const watched = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => await Promise.resolve(result),
  });
  const executor = watched.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  executor.executeQuery = async (query) => {
    queries.push(query);
    return await execute(query);
  };
  await run(watched);
  return queries;
}

type Plan = {
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Node Type": string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Plan[];
};

/** Counts the rows of the log that a statement has read on PostgreSQL. */
async function rowsRead(db: Db, { sql: text, parameters }: CompiledQuery): Promise<number> {
  const asked = { sql: `explain (analyze, format json) ${text}`, parameters };
  // Safe cast: an explained statement is run as any other.
  const found = await db.executeQuery<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>({
    ...asked,
    query: { kind: "RawNode", sqlFragments: [], parameters: [] },
    queryId: { queryId: "explain" },
  } as unknown as CompiledQuery<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>);
  const count = (plan: Plan): number => {
    const below = (plan.Plans ?? []).reduce((sum, one) => sum + count(one), 0);
    if (plan["Relation Name"] !== "logs") return below;
    const rows = (plan["Actual Rows"] ?? 0) + (plan["Rows Removed by Filter"] ?? 0);
    return below + rows * (plan["Actual Loops"] ?? 1);
  };
  return (found.rows[0]?.["QUERY PLAN"] ?? []).reduce((sum, { Plan }) => sum + count(Plan), 0);
}

/** Returns the steps of a statement on SQLite that read the whole log. */
async function scansOf(db: Db, query: CompiledQuery): Promise<string[]> {
  return (await stepsOf(db, query)).filter(
    (detail) => /^SCAN (logs|newest)\b/.test(detail) && !detail.includes("USING"),
  );
}

async function stepsOf(db: Db, { sql: text, parameters }: CompiledQuery): Promise<string[]> {
  const { rows } = await db.executeQuery<{ detail: string }>({
    sql: `explain query plan ${text}`,
    parameters,
    query: { kind: "RawNode", sqlFragments: [], parameters: [] },
    queryId: { queryId: "explain" },
  } as unknown as CompiledQuery<{ detail: string }>);
  return rows.map(({ detail }) => detail);
}

/**
 * Returns the steps of a statement on SQLite that read rows of the log by something else than their
 * ids: of these nobody knows how many there are.
 */
async function walksOf(db: Db, query: CompiledQuery): Promise<string[]> {
  const steps = await stepsOf(db, query);
  const isOfLog = (step: string): boolean => /^(?:SCAN|SEARCH) logs\b/.test(step);
  const isOldest = query.sql.startsWith('select "created_at" from "logs"');
  return isOldest ? [] : steps.filter((step) => isOfLog(step) && !step.includes("PRIMARY KEY"));
}

const day = 24 * hour;
const times = [
  { start: now - day, end: 0 },
  { start: Math.floor((now - 12 * day) / hour) * hour, end: 0 },
];

const filters: readonly Partial<LogFilter>[] = [
  {},
  { userId: 7 },
  { modelName: "=model-3" },
  { channel: 2 },
  { tokenId: 11 },
  { type: 5 },
  { ending: "failed" },
  { ending: "failed 502 rare" },
  { ending: "left" },
];

const facets: readonly LogFacet[] = ["model", "user", "channel", "reason", "finish"];

for (const dialect of testDialects) {
  describe(`what the log reads on ${dialect}`, () => {
    test("charts, facets and groups of failed calls read sums, and at most one hour of rows", async () => {
      const { db, close } = await openLogs(dialect);
      await addLog(db);
      for (const filter of filters) {
        // The sums do not know how charged calls ended, but an index has their rows.
        const rows = filter.ending === "left" ? count / 500 : 0;
        for (const time of times) {
          const asked = { ...everything, ...filter, ...time };
          const runs: Record<string, (on: Db) => Promise<unknown>> = {
            chart: async (on) =>
              await readChart(on, asked, { by: "model", measure: "quota", zone: "UTC", now }),
            failures: async (on) => await readFailures(on, asked, now),
          };
          for (const facet of facets) {
            runs[facet] = async (on) => await readFacet(on, asked, { facet, prefix: "", now });
          }
          for (const [name, run] of Object.entries(runs)) {
            const label = JSON.stringify({ filter, time, name });
            let read = 0;
            for (const query of await queriesOf(db, run)) {
              if (dialect === "sqlite") expect(await scansOf(db, query), label).toEqual([]);
              else read += await rowsRead(db, query);
            }
            // The first hour is cut by the time, and read row by row, twice for a chart.
            expect(read, label).toBeLessThanOrEqual(2 * (rows + count / hours) + shown);
          }
        }
      }
      await close();
    }, 60_000);

    test("sums of the calls of a rare tag read the rows that have it", async () => {
      const { db, close } = await openLogs(dialect);
      await addLog(db);
      for (const filter of [{}, { tag: "batch" }, { tag: "rare" }, { userId: 7, tag: "rare" }]) {
        const asked = { ...everything, ...filter, start: now - 12 * day };
        const runs: readonly ((on: Db) => Promise<unknown>)[] = [
          async (on) => await readFacet(on, asked, { facet: "tag", prefix: "", now }),
          async (on) =>
            "tag" in filter
              ? await readChart(on, asked, { by: "model", measure: "quota", zone: "UTC", now })
              : null,
        ];
        for (const [place, run] of runs.entries()) {
          const label = JSON.stringify({ filter, place });
          let read = 0;
          for (const query of await queriesOf(db, run)) {
            if (dialect === "sqlite") expect(await scansOf(db, query), label).toEqual([]);
            else read += await rowsRead(db, query);
          }
          // A chart reads them twice, for charged and failed calls each. What many rows have is
          // read with all of them where the database finds that cheaper.
          const isRare = filter.tag === "rare";
          const most = isRare ? 4 * (count / 1_000) + shown : Infinity;
          if (place === 1) expect(read, label).toBeLessThanOrEqual(most);
        }
      }
      await close();
    }, 60_000);

    test("of a tag that many calls have, so many of the newest are read whatever else is asked", async () => {
      const { db, close } = await openLogs(dialect);
      await addLog(db);
      const most = 300;
      const others: readonly Partial<LogFilter>[] = [
        { modelName: "=nobody" },
        { modelName: "model-3", userId: 7 },
        { type: 5 },
        { ending: "left" },
        { channel: 2, userId: 7 },
        { quotaMin: 1_000_000 },
        { tokenId: 11 },
      ];
      for (const other of others) {
        const given = { ...everything, ...other, tag: "batch", taggedMax: most };
        const window = { page: 1, page_size: shown };
        const list = async (on: Db) => {
          const filter = await boundList(on, given);
          if (filter !== null) await pageLogs(on, filter, window, now);
        };
        const chart = async (on: Db) => {
          const found = await readChart(on, given, {
            by: "user",
            measure: "quota",
            zone: "UTC",
            now,
          });
          expect(found.is_whole, JSON.stringify(other)).toBe(false);
        };
        const facet = async (on: Db) =>
          await readFacet(on, given, { facet: "model", prefix: "", now });
        const tags = async (on: Db) =>
          await readFacet(on, given, { facet: "tag", prefix: "", now });
        const failures = async (on: Db) => await readFailures(on, given, now);
        // A chart reads them twice, for charged and failed calls each; a list counts them as well.
        const runs = { list: [2, list], chart: [4, chart], facet: [2, facet] } as const;
        const more = { tags: [1, tags], failures: [1, failures] } as const;
        for (const [name, [times, run]] of Object.entries({ ...runs, ...more })) {
          const label = JSON.stringify({ other, name });
          let read = 0;
          for (const query of await queriesOf(db, run)) {
            if (dialect === "sqlite") expect(await walksOf(db, query), label).toEqual([]);
            else read += await rowsRead(db, query);
          }
          expect(read, label).toBeLessThanOrEqual(times * most + shown);
        }
      }
      await close();
    }, 60_000);

    test("a page reads at most twice the rows that it shows", async () => {
      const { db, close } = await openLogs(dialect);
      await addLog(db);
      const indexed: readonly Partial<LogFilter>[] = [
        {},
        { userId: 7 },
        { type: 5 },
        { ending: "failed" },
        { ending: "failed 429 often" },
        { ending: "left" },
        { tag: "batch" },
        { tag: "rare", userId: 8 },
      ];
      for (const filter of indexed) {
        const asked = { ...everything, ...filter, start: now - 12 * day };
        const window = { page: 1, page_size: shown };
        const label = JSON.stringify(filter);
        const queries = await queriesOf(db, async (on) => await pageLogs(on, asked, window, now));
        // The count of all pages reads the index alone, up to its limit.
        const [list] = queries.filter(({ sql: text }) => text.includes('select "logs".*'));
        expect(list, label).toBeDefined();
        if (list === undefined) continue;
        if (dialect === "sqlite") expect(await scansOf(db, list), label).toEqual([]);
        else expect(await rowsRead(db, list), label).toBeLessThanOrEqual(2 * shown);
      }
      await close();
    }, 60_000);
  });
}
