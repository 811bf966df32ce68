import { describe, expect, test } from "bun:test";
import * as contract from "@tollgate/contract/endpoints/dashboard.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { listLogs, listOwnLogs, readLogStat } from "@tollgate/contract/endpoints/logs.ts";
import { bindStore } from "#db/store.ts";
import type { Dialect } from "#db/dialect.ts";
import { testDialects } from "#db/testing/database.ts";
import type { Caller } from "#http/handler.ts";
import { addAttempts } from "#modules/channel-statistics/testing/attempts.ts";
import { type CallLogRow, insertCallLogs } from "#modules/logs/logs.ts";
import { addHours, admin, alice, call, hour, now, openLogs } from "#modules/logs/testing/logs.ts";
import { dashboardHandlers } from "./dashboard.handlers.ts";
import { dashboardStore } from "./dashboard.store.ts";

const day = 24 * hour;

/** Opens the dashboard and the usage log over one database. Both clocks stand at `now`. */
async function open(dialect: Dialect, zone = "UTC") {
  const logs = await openLogs(dialect);
  const ratios = { default: "1", vip: "0.8", inner: "2" };
  const handlers = dashboardHandlers({
    store: bindStore(dashboardStore, logs.db),
    offers: {
      prices: () => ({ ...defaultPriceList, GroupRatio: ratios }),
      usableGroups: () => ({ default: "standard", vip: "fast" }),
      groupOf: () => "default",
      modelsOf: () => [],
    },
    zone: () => zone,
    refreshMinutes: () => 5,
    now: () => now * 1_000,
  });
  const ask = async (endpoint: Endpoint, input: object, caller: Caller): Promise<unknown> =>
    await handlers.find((handler) => handler.endpoint === endpoint)?.run(input, caller);
  const read = async (input: object, caller: Caller = admin): Promise<contract.Dashboard> => {
    const endpoint = caller === alice ? contract.readOwnDashboard : contract.readDashboard;
    return contract.readDashboard.output.parse(await ask(endpoint, input, caller));
  };
  const addCalls = async (rows: readonly CallLogRow[]): Promise<void> => {
    await insertCallLogs(logs.db, rows);
    await addHours(
      logs.db,
      rows.filter(({ type, quota }) => type === 2 && quota >= 0),
    );
  };
  return { ...logs, ask, read, addCalls, askLogs: logs.ask };
}

/** Calls of two users, three models, three tokens and two channels over four days. */
function manyCalls(): CallLogRow[] {
  const models = ["gpt-4o", "gpt-4o-mini", "claude-3"];
  return Array.from({ length: 300 }, (_, index) => ({
    ...call,
    request_id: `r${index}`,
    created_at: now - ((index * 7_919) % (4 * day)),
    user_id: index % 3 === 0 ? 8 : 7,
    username: index % 3 === 0 ? "bob" : "alice",
    token_id: index % 3 === 0 ? 12 : 11,
    channel: index % 5 === 0 ? 1 : 3,
    model_name: models[index % 3] ?? "",
    type: index % 11 === 0 ? 5 : 2,
    quota: index % 11 === 0 ? 0 : 1 + ((index * 37) % 1_000),
    group: index % 7 === 0 ? "vip" : "default",
  }));
}

for (const dialect of testDialects) {
  describe(`dashboard on ${dialect}`, () => {
    test("O-575 O-576: totals and bars equal the log rows of the span, to the unit", async () => {
      const { read, addCalls, askLogs, close } = await open(dialect);
      await addCalls(manyCalls());
      const start_timestamp = now - (now % day) - day;
      for (const [caller, endpoint] of [
        [admin, listLogs],
        [alice, listOwnLogs],
      ] as const) {
        const filter = { start_timestamp, end_timestamp: now, page_size: 100 };
        const items: Pick<CallLogRow, "created_at" | "model_name" | "quota" | "type">[] = [];
        for (const p of [1, 2, 3]) {
          // Safe cast: this is the contract of both calls.
          const page = (await askLogs(endpoint, { ...filter, p }, caller)) as {
            readonly items: readonly Pick<
              CallLogRow,
              "created_at" | "model_name" | "quota" | "type"
            >[];
          };
          items.push(...page.items);
        }
        const charged = items.filter(({ type }) => type === 2);
        const sum = (rows: typeof items) => rows.reduce((total, { quota }) => total + quota, 0);
        for (const granularity of ["hour", "day", "week"] as const) {
          const found = await read({ ...filter, granularity }, caller);
          expect(found.totals).toMatchObject({
            quota: sum(charged),
            calls: charged.length,
            failures: items.length - charged.length,
          });
          expect(charged.length).toBeGreaterThan(30);
          for (const { model_name, quota, calls } of found.series) {
            found.buckets.forEach((from, place) => {
              const to = found.buckets[place + 1] ?? Number.POSITIVE_INFINITY;
              const rows = charged.filter(
                (row) =>
                  row.model_name === model_name && row.created_at >= from && row.created_at < to,
              );
              expect([model_name, from, quota[place], calls[place]]).toEqual([
                model_name,
                from,
                sum(rows),
                rows.length,
              ]);
            });
          }
          for (const share of [found.models, found.tokens, found.users, found.channels]) {
            if (share === null) continue;
            const parts = [...share.top, share.rest];
            expect(parts.reduce((total, { quota }) => total + quota, 0)).toBe(sum(charged));
            expect(parts.reduce((total, { calls }) => total + calls, 0)).toBe(charged.length);
          }
          expect(found.dearest.map(({ quota }) => quota)).toEqual(
            charged
              .map(({ quota }) => quota)
              .toSorted((a, b) => b - a)
              .slice(0, contract.dearestMax),
          );
        }
        expect((await read(filter, caller)).users === null).toBe(caller === alice);
      }
      const stat = await askLogs(readLogStat, { start_timestamp, end_timestamp: now }, admin);
      const { totals, rpm, tpm } = await read({ start_timestamp, end_timestamp: now });
      expect(stat).toEqual({ quota: totals.quota, rpm, tpm });
      await close();
    });

    test("shares name users, tokens and channels, and every filter narrows all figures", async () => {
      const { read, addCalls, close } = await open(dialect);
      await addCalls(manyCalls());
      const whole = await read({});
      expect(whole.users?.top.map(({ name }) => name).toSorted()).toEqual(["alice", "bob"]);
      expect(whole.channels?.top.map(({ name }) => name).toSorted()).toEqual(["first", "main"]);
      const quotaOf = async (filter: object) => (await read(filter)).totals.quota;
      const sums = async (...filters: object[]) =>
        (await Promise.all(filters.map(quotaOf))).reduce((total, quota) => total + quota, 0);
      const { quota } = whole.totals;
      expect(await sums({ username: "alice" }, { username: "bob" })).toBe(quota);
      expect(await sums({ channel: 1 }, { channel: 3 })).toBe(quota);
      expect(await sums({ group: "vip" }, { group: "default" })).toBe(quota);
      expect(await sums({ token_id: 11 }, { token_id: 12 })).toBe(quota);
      expect(
        await sums(
          { model_name: "gpt-4o" },
          { model_name: "gpt-4o-mini" },
          { model_name: "claude-3" },
        ),
      ).toBe(quota);
      expect(await quotaOf({ model_name: "gpt" })).toBe(0);
      await close();
    });

    test("O-580 A-470 A-471: without a span the last three days are summed, in whole hours", async () => {
      const { read, close } = await open(dialect, "Asia/Shanghai");
      const found = await read({});
      // `now` is 2027-01-15 08:20 UTC, 16:20 in Shanghai.
      const at = (text: string) => Date.parse(text) / 1_000;
      expect(found).toMatchObject({
        time_zone: "Asia/Shanghai",
        start: at("2027-01-13T00:00:00+08:00"),
        end: at("2027-01-16T00:00:00+08:00"),
      });
      expect(found.buckets).toHaveLength(3 * 24);
      expect(found.buckets.every((bucket) => bucket % hour === 0)).toBe(true);
      const byDay = await read({ granularity: "day" });
      expect(byDay.buckets).toEqual(
        [13, 14, 15].map((date) => at(`2027-01-${date}T00:00:00+08:00`)),
      );
      const spanOf = async (span: string) => {
        const { start, end } = await read({ span, granularity: "day" });
        return [start, end];
      };
      expect(await spanOf("today")).toEqual([
        at("2027-01-15T00:00:00+08:00"),
        at("2027-01-16T00:00:00+08:00"),
      ]);
      expect(await spanOf("yesterday")).toEqual([
        at("2027-01-14T00:00:00+08:00"),
        at("2027-01-15T00:00:00+08:00"),
      ]);
      expect(await spanOf("30d")).toEqual([
        at("2026-12-17T00:00:00+08:00"),
        at("2027-01-16T00:00:00+08:00"),
      ]);
      await close();
    });

    test("a day in progress is compared with the same hours of the day before", async () => {
      const { read, addCalls, close } = await open(dialect);
      const today = now - (now % day);
      const at = (created_at: number, quota: number) => ({ ...call, created_at, quota });
      await addCalls([
        at(today + 5, 1),
        at(today - day + 5, 10),
        // Later than the present hour, a day before: it has no counterpart today yet.
        at(today - day + 20 * hour, 100),
        at(today - day - 5, 1_000),
      ]);
      const { totals, before } = await read({
        start_timestamp: today,
        end_timestamp: today + day - 1,
      });
      expect([totals.quota, before.quota]).toEqual([1, 10]);
      await close();
    });

    test("spans that are too long or end before they start are refused with the limit", async () => {
      const { ask, close } = await open(dialect);
      const span = (days: number) => ({ start_timestamp: now - days * day, end_timestamp: now });
      const refused = async (endpoint: Endpoint, input: object, caller = admin) =>
        await ask(endpoint, input, caller).then(
          () => "answered",
          (error: unknown) => (error instanceof Error ? error.message : ""),
        );
      expect(await refused(contract.readDashboard, span(32))).toBe("时间跨度不能超过 31 天");
      expect(await refused(contract.readDashboard, { ...span(32), granularity: "day" })).toBe(
        "answered",
      );
      expect(await refused(contract.readDashboard, { ...span(94), granularity: "day" })).toBe(
        "时间跨度不能超过 92 天",
      );
      expect(await refused(contract.listOwnQuotaData, span(30), alice)).toBe("answered");
      expect(await refused(contract.listOwnQuotaData, span(31), alice)).toBe(
        "时间跨度不能超过 1 个月",
      );
      expect(await refused(contract.listQuotaData, span(94))).toBe("时间跨度不能超过 92 天");
      expect(
        await refused(contract.readDashboard, {
          start_timestamp: now,
          end_timestamp: now - 2 * hour,
        }),
      ).toBe("开始时间必须早于结束时间");
      await close();
    });

    test("one-api's dashboard reads rows by hour and model, its own or a named user's", async () => {
      const { ask, addCalls, close } = await open(dialect);
      await addCalls([call, { ...call, quota: 5 }, { ...call, user_id: 8, quota: 100 }]);
      const span = { start_timestamp: now - day, end_timestamp: now + hour, default_time: "hour" };
      const row = {
        id: 0,
        user_id: 0,
        username: "",
        model_name: "gpt-4o",
        created_at: now - (now % hour),
        token_used: 390,
        count: 3,
        quota: 380,
      };
      expect(await ask(contract.listQuotaData, span, admin)).toMatchObject([
        { ...row, token_used: expect.any(Number) },
      ]);
      const own = { user_id: 7, username: "alice", count: 2, quota: 280 };
      const named = { ...span, username: "alice" };
      expect(await ask(contract.listQuotaData, named, admin)).toMatchObject([own]);
      expect(await ask(contract.listOwnQuotaData, span, alice)).toMatchObject([own]);
      expect(await ask(contract.listQuotaData, { ...span, username: "no one" }, admin)).toEqual([]);
      await close();
    });

    test("times to the first byte are the median and the 99th percentile", async () => {
      const { read, addCalls, db, close } = await open(dialect);
      expect((await read({})).first_byte).toBeNull();
      const timed = (frt: number) => ({ ...call, other: JSON.stringify({ frt }) });
      await addCalls([
        ...Array.from({ length: 100 }, (_, index) => timed(index + 1)),
        timed(-1_000),
      ]);
      // Of 1 to 100 ms the median lies between 40 and 63.
      const ofCalls = (await read({})).first_byte;
      expect(ofCalls).toMatchObject({ calls: 100 });
      expect(ofCalls?.p50).toBeWithin(40, 64);
      expect(ofCalls?.p99).toBeWithin(63, 101);

      // Attempts that were answered in 63 to 100 ms, at another channel in 6 to 10 s.
      await addAttempts(db, { hour: now - (now % hour), channel: 3, bucket: 5, count: 60 });
      await addAttempts(db, { hour: now - (now % hour), channel: 1, bucket: 15, count: 40 });
      const found = (await read({})).first_byte;
      expect(found?.calls).toBe(100);
      expect(found?.p50).toBeWithin(63, 101);
      expect(found?.p99).toBeWithin(6_300, 10_001);
      expect((await read({ channel: 3 })).first_byte?.calls).toBe(60);
      // Attempts are not counted by user, so a user's times are those of the calls.
      expect((await read({ username: "alice" })).first_byte).toEqual(ofCalls);
      expect((await read({}, alice)).first_byte).toEqual(ofCalls);
      await close();
    });

    test("the most expensive calls leave out those whose charge was given back", async () => {
      const { read, addCalls, db, close } = await open(dialect);
      await addCalls([
        { ...call, request_id: "a", quota: 900 },
        { ...call, request_id: "b", quota: 700 },
      ]);
      await db.updateTable("logs").set({ reversed: 1 }).where("request_id", "=", "a").execute();
      const { dearest, dearest_of_all } = await read({});
      expect(dearest.map(({ request_id, quota }) => [request_id, quota])).toEqual([["b", 700]]);
      expect(dearest_of_all).toBe(true);
      await close();
    });

    test("O-577: a line is up, degraded or down, and admins read which channel ended and why", async () => {
      const { ask, addCalls, db, close } = await open(dialect);
      const channel = async (id: number, change: object) =>
        await db.updateTable("channels").set(change).where("id", "=", id).execute();
      await channel(1, { group: "default" });
      await channel(2, { group: "default,vip" });
      const died = now - 5 * hour;
      const info = { status_reason: "401 Unauthorized", status_time: died };
      await channel(3, { group: "vip", status: 3, other_info: JSON.stringify(info) });
      const failed = (status_code: number, error_type: string) => ({
        ...call,
        type: 5,
        quota: 0,
        group: "vip",
        created_at: died,
        other: JSON.stringify({ status_code, error_type }),
      });
      await addCalls([
        call,
        failed(401, "upstream_error"),
        failed(503, "new_api_error"),
        // Faults of the client, which say nothing about the line.
        failed(400, "invalid_request_error"),
        failed(403, "new_api_error"),
        failed(499, "new_api_error"),
      ]);
      const read = async (caller: Caller) =>
        contract.readLines.output.parse(await ask(contract.readLines, {}, caller));

      const lines = await read(admin);
      expect(lines.map(({ group, state }) => [group, state])).toEqual([
        ["default", "up"],
        ["vip", "degraded"],
      ]);
      const vip = lines[1];
      expect(vip?.channels).toEqual([
        { id: 3, name: "main", automatically: true, reason: "401 Unauthorized", since: died },
      ]);
      expect(vip?.enabled).toBe(1);
      expect(vip?.hours).toHaveLength(contract.lineHours);
      expect(vip?.hours.filter(({ state }) => state !== "idle")).toEqual([
        { at: died - (died % hour), state: "down", calls: 0, failures: 2 },
      ]);
      expect(lines[0]?.hours.at(-1)).toMatchObject({ state: "up", calls: 1 });

      await channel(1, { status: 2 });
      await channel(2, { status: 2 });
      expect((await read(admin)).map(({ state }) => state)).toEqual(["down", "down"]);
      await channel(1, { status: 1 });
      await channel(2, { status: 1 });

      const seen = await read(alice);
      expect(seen.map(({ group, state }) => [group, state])).toEqual([
        ["default", "up"],
        ["vip", "degraded"],
      ]);
      expect(seen[1]).toMatchObject({ channels: [], enabled: 0 });
      expect(seen[1]?.hours.some(({ calls, failures }) => calls + failures > 0)).toBe(false);
      expect(seen[1]?.hours.map(({ state }) => state)).toContain("down");
      await close();
    });
  });
}
