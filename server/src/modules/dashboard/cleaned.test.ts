import { describe, expect, test } from "bun:test";
import type { Dashboard } from "@tollgate/contract/endpoints/dashboard.ts";
import { cleanLogs } from "@tollgate/contract/endpoints/logs.ts";
import { testDialects } from "#db/testing/database.ts";
import { bindStore } from "#db/store.ts";
import { type CallLogRow, insertCallLogs } from "#modules/logs/logs.ts";
import { addHours, call, hour, now, openLogs, root } from "#modules/logs/testing/logs.ts";
import { dashboardStore } from "./dashboard.store.ts";
import { judgeLines } from "./lines.ts";

/** Calls of two users in the last ten hours: every third fails, and a fifth of those by the client. */
function calls(): CallLogRow[] {
  return Array.from({ length: 90 }, (_, index) => {
    const isFailed = index % 3 === 0;
    const status = index % 5 === 0 ? 400 : 502;
    return {
      ...call,
      request_id: `r${index}`,
      created_at: now - index * 400,
      user_id: index % 2 === 0 ? 7 : 8,
      username: index % 2 === 0 ? "alice" : "bob",
      token_id: index % 4,
      channel: index % 2 === 0 ? 3 : 1,
      model_name: index % 7 === 0 ? "claude-3" : "gpt-4o",
      group: index % 11 === 0 ? "vip" : "default",
      type: isFailed ? 5 : 2,
      quota: isFailed ? 0 : 5 + index,
      other: JSON.stringify(isFailed ? { status_code: status } : { frt: 20 * (index + 1) }),
    };
  });
}

for (const dialect of testDialects) {
  describe(`a dashboard on ${dialect}`, () => {
    test("says the same before and after log rows were removed: failures, times to the first byte, lines", async () => {
      const { db, ask, close } = await openLogs(dialect);
      const rows = calls();
      await insertCallLogs(db, rows);
      await addHours(
        db,
        rows.filter(({ type }) => type === 2),
      );
      const store = bindStore(dashboardStore, db);
      const everything = {
        userId: null,
        username: "",
        tokenId: 0,
        modelName: "",
        group: "",
        channel: 0,
      };
      const span = { start: now - (now % hour) - 12 * hour, end: now - (now % hour) + hour };
      const before = { start: span.start - 13 * hour, end: span.start };
      const readAll = async () => {
        const dashboards: object[] = [];
        for (const part of [
          {},
          { userId: 7 },
          { username: "bob" },
          { tokenId: 1 },
          { modelName: "claude-3" },
          { group: "vip" },
          { channel: 3, userId: 7 },
        ]) {
          for (const [first, second] of [
            [span, before],
            [{ start: span.start + 8 * hour, end: span.end }, span],
          ] as const) {
            const asked = { filter: { ...everything, ...part }, span: first, before: second };
            const {
              dearest: _,
              dearest_of_all: _all,
              ...figures
            } = await store.readDashboard({
              ...asked,
              zone: "UTC",
              granularity: "hour",
              wide: true,
              now: now + 3_600,
            });
            dashboards.push(figures);
          }
        }
        const facts = await store.readLineFacts(now);
        return { dashboards, lines: judgeLines(facts, new Map([["default", ""]]), now) };
      };
      const whole = await readAll();
      const [first] = whole.dashboards as Dashboard[];
      expect(first).toMatchObject({ totals: { failures: 30 }, first_byte: { calls: 60 } });
      for (const hours of [6, 5, 1]) {
        await ask(cleanLogs, { target_timestamp: String(now - hours * hour) }, root);
        expect([hours, await readAll()]).toEqual([hours, whole]);
      }
      const { count } = await db
        .selectFrom("logs")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      expect(Number(count)).toBe(10);

      const newest = await store.readDashboard({
        filter: everything,
        span,
        before,
        zone: "UTC",
        granularity: "hour",
        wide: true,
        now,
      });
      expect(newest.dearest_of_all).toBe(false);
      await close();
    });
  });
}
