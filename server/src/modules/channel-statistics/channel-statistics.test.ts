import { describe, expect, test } from "bun:test";
import {
  type ChannelUse,
  listChannelUse,
} from "@tollgate/contract/endpoints/channel-statistics.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { openAttemptTallies } from "./attempt-tallies.ts";
import type { Caller } from "#http/handler.ts";
import { attemptsJob } from "./attempts-job.ts";
import { channelStatisticsHandlers } from "./channel-statistics.handlers.ts";
import { channelStatisticsStore } from "./channel-statistics.store.ts";

const hour = 1_800_000_000;
const root: Caller = {
  userId: 1,
  role: 100,
  username: "root",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};
const charge = { user_id: 1, token_id: 1, group: "default", request_count: 1 };

for (const dialect of testDialects) {
  describe(`statistics of channels on ${dialect}`, () => {
    async function open() {
      const { db, close } = await openTestDatabase(dialect);
      const store = bindStore(channelStatisticsStore, db);
      const attempts = openAttemptTallies();
      const clock = { ms: hour * 1_000 };
      const job = attemptsJob({ store, attempts, now: () => clock.ms });
      const [handler] = channelStatisticsHandlers(store);
      const read = async (input: object = {}): Promise<ChannelUse[]> =>
        listChannelUse.output.parse(await handler?.run(input, root));
      const add = async (at: number, channel_id: number, model_name: string, quota: number) =>
        await db
          .insertInto("usage_hours")
          .values({
            ...charge,
            hour: at,
            channel_id,
            model_name,
            quota,
            prompt_tokens: 10,
            completion_tokens: 5,
          })
          .execute();
      return { db, close, attempts, clock, job, read, add };
    }

    test("a channel that was deleted keeps its last name", async () => {
      const { db, close, read, add } = await open();
      await add(hour, 7, "a", 100);
      await add(hour, 8, "a", 50);
      const row = {
        created_at: hour,
        actor_id: 1,
        actor_name: "root",
        client_ip: "",
        action: "channel.remove",
        target: "channel:7",
        hash: "h",
      };
      const detail = JSON.stringify({ before: [{ id: 7, name: "old main" }] });
      await db
        .insertInto("audit_log")
        .values({ ...row, detail })
        .execute();
      expect(await read()).toMatchObject([{ channel_name: "old main" }, { channel_name: "" }]);
      await close();
    });

    test("O-243 O-245 to O-248 O-260: charges are summed by channel and model, as each filter says", async () => {
      const { close, read, add } = await open();
      await add(hour, 1, "a", 100);
      await add(hour + 3_600, 1, "a", 50);
      await add(hour, 1, "b", 7);
      await add(hour, 2, "a", 900);

      expect(await read()).toMatchObject([
        { channel_id: 2, model_name: "a", token_used: 15, count: 1, quota: 900 },
        { channel_id: 1, model_name: "a", token_used: 30, count: 2, quota: 150 },
        { channel_id: 1, model_name: "b", token_used: 15, count: 1, quota: 7 },
      ]);
      expect(await read({ merge: "true", channel_id: 1 })).toMatchObject([
        { channel_id: 1, model_name: "", token_used: 45, count: 3, quota: 157 },
      ]);
      expect(await read({ model_name: "B" })).toMatchObject([{ channel_id: 1, quota: 7 }]);
      const first = { start_timestamp: hour + 5, end_timestamp: hour + 3_599, channel_id: "1" };
      expect((await read(first)).map(({ quota }) => quota)).toEqual([100, 7]);
      const second = await read({ start_timestamp: hour + 3_600 });
      expect(second.map(({ quota }) => quota)).toEqual([50]);
      await close();
    });

    test("attempts of long times are added up by days, with the hours at both ends", async () => {
      const { close, attempts, clock, job, read } = await open();
      const day = 86_400;
      const first = hour - (hour % day);
      for (let at = first; at < first + 4 * day; at += 6 * 3_600) {
        clock.ms = at * 1_000;
        attempts.answered(1, "a", false, 100);
        await job.run();
      }
      const counted = async (start: number, end: number): Promise<number> => {
        const [row] = await read({ start_timestamp: start, end_timestamp: end });
        return row?.attempts ?? 0;
      };
      const last = 3_599;
      expect((await read())[0]?.attempts).toBe(16);
      expect(await counted(first + 6 * 3_600, first + 3 * day + 12 * 3_600 + last)).toBe(14);
      expect(await counted(first + day, first + 2 * day - 1)).toBe(4);
      expect(await counted(first + 7 * 3_600, first + 13 * 3_600)).toBe(1);
      expect(await counted(first + 18 * 3_600, first + day)).toBe(2);
      expect((await read({ merge: "true" }))[0]?.attempts).toBe(16);
      await close();
    });

    test("every time of whole hours has exactly its own attempts, wherever in a day it begins and ends", async () => {
      const { close, attempts, clock, job, read } = await open();
      const first = hour - (hour % 86_400);
      const hours = Array.from({ length: 72 }, (_, at) => at);
      for (const at of hours) {
        clock.ms = (first + at * 3_600) * 1_000;
        // Each hour has another number, and each third hour another model.
        for (let times = 0; times <= at; times += 1) {
          attempts.answered(1, at % 3 === 0 ? "rare" : "a", false, 100);
        }
        await job.run();
      }

      for (const start of [0, 1, 11, 12, 13, 23, 24, 30, 40, 47]) {
        for (const end of [1, 12, 13, 25, 36, 37, 48, 59, 61, 71, 72]) {
          const wanted = hours.filter((at) => at >= start && at < end);
          if (wanted.length === 0) continue;
          const rows = await read({
            start_timestamp: first + start * 3_600,
            end_timestamp: first + end * 3_600 - 1,
          });
          const own = (model: string) =>
            wanted
              .filter((at) => (at % 3 === 0 ? "rare" : "a") === model)
              .reduce((sum, at) => sum + at + 1, 0);
          const expected = [["a", own("a")] as const, ["rare", own("rare")] as const].filter(
            ([, attempted]) => attempted > 0,
          );
          const found = rows.map((row) => [row.model_name, row.attempts] as const);
          const range = `${start} to ${end}`;
          expect(Object.fromEntries(found), range).toEqual(Object.fromEntries(expected));
          expect(found.length, range).toBe(expected.length);
        }
      }
      await close();
    });

    test("attempts are written each second, and added up over writes, hours and nodes", async () => {
      const { db, close, attempts, clock, job, read, add } = await open();
      await add(hour, 1, "a", 100);
      for (let turn = 0; turn < 3; turn += 1) {
        attempts.answered(1, "a", turn > 0, 100);
        attempts.failed(1, "a", false, "http-429");
        attempts.failed(9, "a", true, "timeout-first-byte");
        await job.run();
        clock.ms += 1_800_000;
      }
      attempts.answered(1, "b", false, 4_000);
      attempts.broke(1, "b");
      await job.run();
      const rows = await db.selectFrom("channel_hours").select(["hour", "attempts"]).execute();
      expect(rows.map((row) => row.hour).toSorted((a, b) => a - b)).toEqual([
        hour,
        hour,
        hour + 3_600,
        hour + 3_600,
        hour + 3_600,
      ]);

      const all = await read();
      expect(all).toMatchObject([
        { channel_id: 1, model_name: "a", quota: 100, attempts: 6, retries: 2 },
        { channel_id: 1, model_name: "b", quota: 0, count: 0, succeeded: 0, failed: 1, broken: 1 },
        // A channel that never answered is listed, although nothing was charged through it.
        { channel_id: 9, attempts: 3, retries: 3, succeeded: 0, failed: 3, failed_network: 3 },
      ]);
      expect(all[0]).toMatchObject({ succeeded: 3, failed: 3, failed_limit: 3 });
      expect(all[0]?.first_byte_p50).toBeGreaterThanOrEqual(63);
      expect(all[0]?.first_byte_p50).toBeLessThanOrEqual(100);
      expect(all[2]?.first_byte_p99).toBeNull();
      expect(await read({ merge: "true", channel_id: 1 })).toMatchObject([
        { attempts: 7, succeeded: 3, failed: 4 },
      ]);
      await close();
    });

    test("counts that could not be written are written the next time", async () => {
      const { db, close, attempts, clock, read } = await open();
      const store = bindStore(channelStatisticsStore, db);
      let isAway = true;
      const job = attemptsJob({
        store: {
          async addAttempts(input) {
            if (isAway) throw new Error("the database is away");
            await store.addAttempts(input);
          },
        },
        attempts,
        now: () => clock.ms,
      });
      attempts.answered(1, "a", false, 100);
      await expect(job.run()).rejects.toThrow("away");
      isAway = false;
      attempts.answered(1, "a", false, 100);
      await job.run();
      expect(await read()).toMatchObject([{ attempts: 2, succeeded: 2 }]);
      await close();
    });
  });
}
