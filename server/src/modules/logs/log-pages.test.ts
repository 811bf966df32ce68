/**
 * Tests of lists whose filter has no index: the hourly roll-up tells in which hours they have rows.
 */

import { describe, expect, test } from "bun:test";
import type { Db } from "#db/database.ts";
import { seededRandom } from "#base/testing/random.ts";
import { testDialects } from "#db/testing/database.ts";
import type { LogFilter } from "./log-filter.repo.ts";
import { pageLogs } from "./logs.repo.ts";
import { type CallLogRow, insertCallLogs } from "./logs.ts";
import { addHours, call, hour, now, openLogs } from "./testing/logs.ts";

const everything: LogFilter = {
  userId: null,
  username: "",
  lookup: null,
  tokenName: "",
  modelName: "",
  type: 0,
  start: 0,
  end: 0,
  channel: 0,
  group: "",
  afterId: 0,
  requestId: "",
};

/**
 * A number of newest rows that no table of these tests exceeds. With it every row counts as one of
 * the newest, so the roll-up is not used.
 */
const all = 1_000_000;

async function requestIds(
  db: Db,
  filter: Partial<LogFilter>,
  page: { readonly page: number; readonly page_size: number },
  newestRows: number,
): Promise<{ ids: string[]; total: number }> {
  const found = await pageLogs(db, { ...everything, ...filter }, page, now, newestRows);
  return { ids: found.items.map(({ request_id }) => request_id), total: found.total };
}

for (const dialect of testDialects) {
  describe(`long lists on ${dialect}`, () => {
    test("reading by rows or by hours returns the same page and total", async () => {
      const { db, close } = await openLogs(dialect);
      const rows = scatter(400);
      await insertCallLogs(db, rows);
      await addHours(
        db,
        rows.filter(({ type }) => type === 2),
      );
      const times = [{}, { start: now - 300 * hour + 77 }, { end: now - 40 * hour - 9 }];
      const filters: Partial<LogFilter>[] = [
        { modelName: "rare" },
        { modelName: "gpt%" },
        { modelName: "nobody" },
        { channel: 2 },
        { group: "vip", modelName: "o" },
        { channel: 3, type: 2 },
        { modelName: "rare", type: 5 },
        { userId: 7, modelName: "rare" },
        { lookup: "lookup of bobs", group: "vip" },
        { username: "bob", channel: 1 },
      ];
      for (const filter of filters) {
        for (const time of times) {
          for (const page of [1, 2, 5, 40]) {
            const asked = { ...filter, ...time };
            const window = { page, page_size: 3 };
            const plain = await requestIds(db, asked, window, all);
            for (const newestRows of [0, 10, 150]) {
              const found = await requestIds(db, asked, window, newestRows);
              expect(found, JSON.stringify({ asked, page, newestRows })).toEqual(plain);
            }
          }
        }
      }
      await close();
    });

    test("rows are found when they lie in more hours than can be queried one by one", async () => {
      const { db, close } = await openLogs(dialect);
      const rows = Array.from({ length: 500 }, (_, at) => ({
        ...call,
        request_id: `r${at}`,
        created_at: now - (500 - at) * 3 * hour,
      }));
      await insertCallLogs(db, rows);
      await addHours(db, rows);
      const filter = { modelName: "gpt" };
      const last = await requestIds(db, filter, { page: 50, page_size: 10 }, 20);
      expect(last).toEqual({
        ids: Array.from({ length: 10 }, (_, at) => `r${9 - at}`),
        total: 500,
      });
      await close();
    });

    // This roll-up is left empty, so older rows could only be found by reading the whole log.
    test("a search for a model that nobody used reads only the newest rows", async () => {
      const { db, close } = await openLogs(dialect);
      const rows = Array.from({ length: 60 }, (_, at) => ({
        ...call,
        request_id: `r${at}`,
        created_at: now - (60 - at) * hour,
        model_name: at < 30 ? "unknown" : "gpt-4o",
      }));
      await insertCallLogs(db, rows);
      const window = { page: 1, page_size: 10 };
      expect(await requestIds(db, { modelName: "unknown" }, window, 20)).toEqual({
        ids: [],
        total: 0,
      });
      expect((await requestIds(db, { modelName: "unknown" }, window, all)).total).toBe(30);
      await close();
    });
  });
}

/**
 * Makes log rows spread over three weeks, with some full hours and many empty ones. The random
 * numbers are seeded, so the rows are the same in each run.
 */
function scatter(count: number): CallLogRow[] {
  const { below, pick } = seededRandom(7);
  return Array.from({ length: count }, (_, at) => {
    const isBobs = below(4) === 0;
    return {
      ...call,
      request_id: `r${at}`,
      created_at: now - below(3) * below(200) * hour - below(3 * hour),
      type: pick([2, 2, 2, 2, 2, 5, 4]),
      user_id: isBobs ? 8 : 7,
      username: isBobs ? "bob" : "alice",
      token_id: isBobs ? 12 : 11,
      channel: pick([1, 2, 3, 3, 3, 3]),
      model_name: below(40) === 0 ? "rare-model" : pick(["gpt-4o", "GPT-4o-mini", "claude"]),
      group: below(10) === 0 ? "vip" : "default",
    };
  });
}
