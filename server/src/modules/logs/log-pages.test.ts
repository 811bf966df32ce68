/**
 * Tests of lists whose filter has no index: the hourly roll-up tells in which hours they have rows.
 */

import { logSorts } from "@tollgate/contract/endpoints/logs.ts";
import { describe, expect, test } from "bun:test";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { addCalls } from "#modules/ledger/testing/sums.ts";
import { sumCharged } from "./log-sums.repo.ts";
import type { LogFilter } from "./log-filter.repo.ts";
import { pageLogs } from "./logs.repo.ts";
import { type CallLogRow, insertCallLogs, sumByChannel } from "./logs.ts";
import { addHours, call, hour, now, openLogs } from "./testing/logs.ts";
import { scatter } from "./testing/scatter.ts";
import { withTokens } from "./token-names.repo.ts";

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
  tokenId: 0,
  afterId: 0,
  requestId: "",
  usageSource: "",
  quotaMin: 0,
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
        { username: "b%", channel: 1 },
        { channelName: "ma%" },
        { group: "v%" },
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

    test("the dearest calls of a list come first if asked, and a least cost leaves out the others", async () => {
      const { db, close } = await openLogs(dialect);
      const rows = scatter(60).map((row, at) => ({ ...row, quota: (at * 37) % 60 }));
      await insertCallLogs(db, rows);
      const read = async (filter: Partial<LogFilter>, page: number) => {
        const window = { page, page_size: 20 };
        const found = await pageLogs(db, { ...everything, ...filter }, window, now, 10);
        return { quotas: found.items.map(({ quota }) => quota), total: found.total };
      };
      const first = await read({ sort: { by: "quota", order: "desc" } }, 1);
      expect(first.quotas).toEqual(Array.from({ length: 20 }, (_, at) => 59 - at));
      expect((await read({ sort: { by: "quota", order: "desc" } }, 3)).quotas.at(-1)).toBe(0);
      expect((await read({ sort: { by: "quota", order: "asc" } }, 1)).quotas[0]).toBe(0);
      const dear = await read({ quotaMin: 50 }, 1);
      expect([dear.total, Math.min(...dear.quotas)]).toEqual([10, 50]);
      await db.updateTable("logs").set({ conversation_id: 4_004 }).where("quota", "=", 7).execute();
      expect((await read({ conversationId: 4_004 }, 1)).quotas).toEqual([7]);
      const talk = { ...everything, conversationId: 4_004, end: now };
      expect((await sumCharged(db, talk, now)).quota).toBe(7);
      await close();
    });

    test("the log is sorted by cost, tokens and duration, either way, and the newest of equals first", async () => {
      const { db, close } = await openLogs(dialect);
      const rows = scatter(60).map((row, at) => ({
        ...row,
        quota: (at * 37) % 7,
        prompt_tokens: (at * 11) % 13,
        completion_tokens: (at * 5) % 17,
        use_time: (at * 3) % 5,
      }));
      await insertCallLogs(db, rows);
      const stored = await db.selectFrom("logs").selectAll().execute();
      // Not a column: `answers/tags.test.ts` sorts by it.
      for (const by of logSorts.filter((name) => name !== "first_byte")) {
        for (const order of ["asc", "desc"] as const) {
          const sign = order === "asc" ? 1 : -1;
          const expected = stored
            .toSorted((a, b) => sign * (a[by] - b[by]) || b.id - a.id)
            .map(({ id }) => id);
          const found: number[] = [];
          for (const page of [1, 2, 3]) {
            const filter = { ...everything, sort: { by, order } };
            const window = { page, page_size: 20 };
            const { items } = await pageLogs(db, filter, window, now, 10);
            found.push(...items.map(({ id }) => id));
          }
          expect(found, `${by} ${order}`).toEqual(expected);
        }
      }
      await close();
    });

    test("with totals of the roll-up, pages, counts and sums are those of the rows", async () => {
      const { db, store, close } = await openLogs(dialect);
      const rows = scatter(500).map((row, at) => ({
        ...row,
        reversed: at % 25 === 0 && row.type === 2 ? 1 : 0,
      }));
      await db.insertInto("logs").values(rows).execute();
      const charged = rows.filter(({ type }) => type === 2);
      const reversed = charged.filter((row) => row.reversed === 1);
      await addCalls(db, charged, reversed, now * 1_000);
      const advance = async (until: number): Promise<void> => {
        while (await store.advanceTotals(until)) continue;
      };
      const filters: Partial<LogFilter>[] = [
        {},
        { modelName: "rare" },
        { modelName: "nobody" },
        { channel: 2 },
        { channel: 3, type: 2 },
        { group: "vip", modelName: "o" },
        { group: "default" },
        { tokenName: "laptop" },
        { tokenName: "bobs" },
        { tokenName: "bobs", channel: 3 },
        { tokenName: "gone" },
        { tokenName: "b%" },
        { tokenName: "p%" },
        { tokenName: "%" },
        { username: "a%" },
        { channelName: "ma%" },
        { tokenId: 11 },
        { tokenId: 12, channel: 3 },
        { tokenId: 11, tokenName: "phone" },
        { tokenId: 99 },
        { tokenId: -1 },
        { tokenId: -1, userId: 7 },
        { tokenId: 11, userId: 7, modelName: "o" },
        { tokenId: 11, userId: 8 },
      ];
      const times = [{}, { start: now - 300 * hour + 77, end: now - 40 * hour - 9 }];
      const start = Math.floor(now / hour) * hour - 200 * hour;
      const byChannel = async (merge: boolean) => {
        const time = { start, end: start + 190 * hour, modelName: "", channelId: 0 };
        const sums = await sumByChannel(db, { ...time, merge });
        return sums.toSorted(
          (a, b) => a.channel_id - b.channel_id || (a.model_name < b.model_name ? -1 : 1),
        );
      };
      const channels = [await byChannel(false), await byChannel(true)];
      expect(channels[1]?.length).toBeGreaterThan(1);
      // First nothing has totals, then the older half, then everything that is over.
      for (const until of [0, now - 100 * hour, now]) {
        if (until > 0) await advance(until);
        expect([await byChannel(false), await byChannel(true)]).toEqual(channels);
        for (const filter of filters) {
          for (const time of times) {
            const asked = { ...everything, ...filter, ...time };
            const label = JSON.stringify({ filter, time, until });
            const plain = expected(rows, asked);
            expect(await store.sumLogs(asked, now), label).toMatchObject({ quota: plain.quota });
            for (const page of [1, 3, 30]) {
              const window = { page, page_size: 4 };
              const found = await withTokensOf(db, asked, window);
              const ids = plain.ids.slice((page - 1) * 4, page * 4);
              expect([found.ids, found.total], label).toEqual([ids, plain.ids.length]);
            }
          }
        }
      }
      await close();
    });

    test("O-245: sums by channel are those of the minutes that are asked for, or of whole hours once rows were cleaned", async () => {
      const { db, close } = await openLogs(dialect);
      const start = now - (now % hour);
      const minutes = [5, 20, 50, 65, 70, 130, 179];
      const rows = minutes.map((minute, at) => ({
        ...call,
        request_id: `at-${minute}`,
        created_at: start + minute * 60,
        quota: 10 ** at,
      }));
      await insertCallLogs(db, rows);
      await addHours(db, rows);
      // A call that was refused is no charge.
      await insertCallLogs(db, [
        { ...call, request_id: "failed", created_at: start + 60, type: 5 },
      ]);
      const sum = async (from: number, to: number): Promise<number> => {
        const time = { start: start + from * 60, end: start + to * 60 };
        const asked = { ...time, modelName: "", channelId: 0, merge: false };
        const sums = await sumByChannel(db, asked);
        expect(sums.length).toBeLessThanOrEqual(1);
        return sums[0]?.quota ?? 0;
      };
      for (const [from, to] of [
        [0, 180],
        [0, 60],
        [5, 6],
        [6, 20],
        [10, 60],
        [10, 66],
        [20, 131],
        [60, 130],
        [55, 64],
        [64, 71],
        [10, 179],
        [175, 175],
      ] as const) {
        const own = rows.filter((_, at) => {
          const minute = minutes[at] ?? 0;
          return minute >= from && minute < to;
        });
        const expected = own.reduce((total, { quota }) => total + quota, 0);
        expect(await sum(from, to), `minutes ${from} to ${to}`).toBe(expected);
      }
      await db.deleteFrom("logs").where("request_id", "=", "at-5").execute();
      expect(await sum(10, 66)).toBe(1 + 10 + 100 + 1_000);
      expect(await sum(61, 66)).toBe(1_000);
      await db.deleteFrom("logs").execute();
      expect(await sum(10, 66)).toBe(1 + 10 + 100 + 1_000 + 10_000);
      await close();
    });

    test("an hour that changes after its totals were made is summed anew", async () => {
      const { db, store, close } = await openLogs(dialect);
      const old = { ...call, created_at: now - 50 * hour };
      const sum = async (): Promise<number> =>
        (await store.sumLogs({ ...everything, channel: 3 }, now)).quota;
      const advance = async (): Promise<void> => {
        while (await store.advanceTotals(now)) continue;
      };
      const addLate = async (row: CallLogRow): Promise<void> => {
        await insertCallLogs(db, [row]);
        await addCalls(db, [row], [], now * 1_000);
      };
      await addLate(old);
      await addLate(call);
      await advance();
      expect(await sum()).toBe(550);
      expect(await db.selectFrom("usage_totals").select("span").execute()).not.toBeEmpty();

      await addLate({ ...old, request_id: "late" });
      await addLate({ ...old, request_id: "older", created_at: now - 500 * hour });
      expect(await sum()).toBe(1_100);
      await advance();
      expect(await sum()).toBe(1_100);
      expect(await db.selectFrom("stale_hours").selectAll().execute()).toEqual([]);
      const days = db.selectFrom("usage_totals").where("span", "=", 86_400);
      expect(await days.select((eb) => eb.fn.sum<number>("quota").as("quota")).execute()).toEqual([
        { quota: 825 },
      ]);
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
        // The oldest hour is always read, because a cleaning may have removed a part of it.
        model_name: at > 0 && at < 30 ? "unknown" : "gpt-4o",
      }));
      await insertCallLogs(db, rows);
      const window = { page: 1, page_size: 10 };
      expect(await requestIds(db, { modelName: "unknown" }, window, 20)).toEqual({
        ids: [],
        total: 0,
      });
      expect((await requestIds(db, { modelName: "unknown" }, window, all)).total).toBe(29);
      await close();
    });
  });
}

/** Reads a page as the store does: the tokens of the filter's name are looked up first. */
async function withTokensOf(
  db: Db,
  asked: LogFilter,
  window: { readonly page: number; readonly page_size: number },
): Promise<{ ids: string[]; total: number }> {
  const found = await withTokens(db, asked);
  return found === null ? { ids: [], total: 0 } : await requestIds(db, found, window, 10);
}

/** Whether a name is the asked one, or begins so. */
function isLike(name: string, asked: string): boolean {
  if (asked.endsWith("%")) return name.startsWith(asked.slice(0, -1));
  return asked === "" || name === asked;
}

/** What a list and its sum are, computed without a database. */
function expected(
  rows: readonly (CallLogRow & { readonly reversed: number })[],
  { modelName, channel, group, tokenName, tokenId, userId, type, start, end, ...names }: LogFilter,
): { ids: string[]; quota: number } {
  const matching = rows
    .map((row, at) => ({ ...row, at }))
    .filter(
      (row) =>
        row.model_name.toLowerCase().includes(modelName) &&
        (channel === 0 || row.channel === channel) &&
        isLike(row.group, group) &&
        isLike(row.token_name, tokenName) &&
        isLike(row.username, names.username) &&
        isLike(["", "first", "second", "main"][row.channel] ?? "", names.channelName ?? "") &&
        (tokenId === 0 || row.token_id === Math.max(0, tokenId)) &&
        (userId === null || row.user_id === userId) &&
        row.created_at >= start &&
        (end === 0 || row.created_at <= end),
    );
  const charged = matching.filter((row) => row.type === 2 && row.reversed === 0);
  return {
    ids: matching
      .filter((row) => type === 0 || row.type === type)
      .toSorted((a, b) => b.created_at - a.created_at || b.at - a.at)
      .map((row) => row.request_id),
    quota: charged.reduce((sum, row) => sum + row.quota, 0),
  };
}
