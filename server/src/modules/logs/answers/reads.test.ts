/**
 * Tests of what the log reads: a list, a chart, a facet and the groups of failed calls of a long log
 * read rows of it through an index, few more than they show, and otherwise sums.
 */

import type { LogFacet } from "@tollgate/contract/endpoints/log-answers.ts";
import { describe, expect, test } from "bun:test";
import type { CompiledQuery } from "kysely";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import type { LogFilter } from "#modules/logs/log-filter.repo.ts";
import { pageLogs } from "#modules/logs/logs.repo.ts";
import { hour, now, openLogs } from "#modules/logs/testing/logs.ts";
import {
  addLongLog,
  queriesOf,
  rowsRead,
  scansOf,
  stepsOf,
} from "#modules/logs/testing/long-log.ts";
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

const size = { rows: count, hours, users: 2, models: 5, channels: 3, now };

/** The rows of a page. */
const shown = 20;

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
      await addLongLog(db, size);
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
      await addLongLog(db, size);
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
      await addLongLog(db, size);
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
      await addLongLog(db, size);
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
