import { describe, expect, test } from "bun:test";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import * as contract from "@tollgate/contract/endpoints/logs.ts";
import { testDialects } from "#db/testing/database.ts";
import { type Caller, isReplyValue } from "#http/handler.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import { readLogWatermark } from "./log-watermark.ts";
import { insertCallLogs, insertLog, logHash } from "./logs.ts";
import { addHours, admin, alice, call, hour, now, openLogs, person, root } from "./testing/logs.ts";

for (const dialect of testDialects) {
  describe(`logs on ${dialect}`, () => {
    // A ledger entry stores the hash of its log row. A column that the hash did not cover could be
    // altered unnoticed.
    test("P-M12: a row's hash covers every column and is the same after storing", async () => {
      const { db, close } = await openLogs(dialect);
      const [inserted] = await insertCallLogs(db, [{ ...call, content: "a\0b\ud800", losses: "" }]);
      const stored = await db.selectFrom("logs").selectAll().executeTakeFirstOrThrow();

      const sent = { ...call, content: "a\0b\ud800", losses: "", id: inserted?.id ?? 0 };
      expect(logHash(sent)).toBe(logHash(stored));
      for (const name of Object.keys(stored)) {
        // A copy of the row in which one column has another value.
        const altered = {
          ...stored,
          [name]: typeof Object(stored)[name] === "number" ? 9_999 : "x",
        };
        // The hash does not cover what changes later. The proof of the ledger compares these columns
        // with the entries that change them.
        const isCovered = !["ending", "refunded", "rerated", "reversed"].includes(name);
        expect([name, logHash(altered) !== logHash(stored)]).toEqual([name, isCovered]);
      }
      await close();
    });

    test("insertCallLogs returns the id of each request, also of many", async () => {
      const { db, close } = await openLogs(dialect);
      const rows = Array.from({ length: 1_200 }, (_, index) => ({
        ...call,
        request_id: `req-${index}`,
        quota: index,
      }));
      const ids = await insertCallLogs(db, rows);

      expect(ids).toHaveLength(1_200);
      for (const { id, request_id } of ids.slice(990, 1_010)) {
        const row = await db.selectFrom("logs").selectAll().where("id", "=", id).execute();
        expect(row).toMatchObject([{ request_id, quota: Number(request_id.slice(4)) }]);
      }
      await close();
    });

    test("O-413 O-446 O-447: users see only own rows, without channel and retries", async () => {
      const { db, ask, close } = await openLogs(dialect);
      await insertCallLogs(db, [call, { ...call, user_id: 8, username: "bob" }]);

      const found = await ask(contract.listOwnLogs, { username: "bob", channel: "3" }, alice);

      expect(found).toMatchObject({ total: 1, page: 1, page_size: 10 });
      const [row] = contract.listOwnLogs.output.parse(found).items;
      expect(row).toMatchObject({ user_id: 7, channel: 0, is_stream: true, quota: 275 });
      expect(row).toMatchObject({ request_id: "req-1", losses: ["temperature"] });
      expect(JSON.parse(row?.other ?? "")).toEqual({ frt: 640 });
      expect(row).toMatchObject({ channel_name: "" });
      expect(Object.keys(row ?? {})).not.toContain("write_off");
      await close();
    });

    test("O-416 O-432: admins see the channel; only root sees the tried channels and upstream ids", async () => {
      const { db, ask, close } = await openLogs(dialect);
      await insertCallLogs(db, [call, { ...call, channel: 99, upstream_request_id: "req_9" }]);

      const seen = contract.listLogs.output.parse(await ask(contract.listLogs, {}, admin)).items;
      expect(seen).toMatchObject([
        { channel: 99, channel_name: "" },
        { channel: 3, channel_name: "main", write_off: 4 },
      ]);
      expect(seen.map((row) => row.other).join()).not.toContain("use_channel");
      const rooted = contract.listLogs.output.parse(await ask(contract.listLogs, {}, root)).items;
      expect(JSON.parse(rooted[0]?.other ?? "").admin_info.use_channel).toEqual(["5", "3"]);
      expect(rooted.map((row) => row.upstream_request_id)).toEqual(["req_9", ""]);
      expect(seen.map((row) => row.upstream_request_id)).toEqual(["", ""]);
      const owned = await ask(contract.listOwnLogs, {}, alice);
      expect(JSON.stringify(contract.listOwnLogs.output.parse(owned))).not.toContain("req_9");
      await close();
    });

    test("O-472 O-474: each filter narrows the list, and empty filters do not", async () => {
      const { db, ask, close } = await openLogs(dialect);
      await insertCallLogs(db, [
        { ...call, request_id: "a", created_at: now - 50, usage_source: "upstream+seen" },
        { ...call, request_id: "b", user_id: 8, token_id: 12, model_name: "GPT-4o-mini" },
        { ...call, request_id: "c", type: 5, channel: 4, group: "vip", token_name: "phone" },
      ]);
      const ids = async (filter: object, endpoint: Endpoint = contract.listLogsByKey) => {
        const { items, total } = contract.listLogs.output.parse(await ask(endpoint, filter, root));
        expect(total).toBe(items.length);
        return items.map((row) => row.request_id).join("");
      };

      const nothing = { type: "NaN", channel: "", group: "null", username: "undefined", p: "0" };
      expect(await ids({ ...nothing, start_timestamp: "NaN", end_timestamp: "" })).toBe("cba");
      expect(await ids({ type: "2" })).toBe("ba");
      expect(await ids({ username: "alice" })).toBe("ca");
      expect(await ids({ username: "nobody" })).toBe("");
      expect(await ids({ token_name: "phone" })).toBe("c");
      expect(await ids({ model_name: "4O-M" })).toBe("b");
      expect(await ids({ model_name: "gpt-4o%" })).toBe("cba");
      expect(await ids({ model_name: "4o%" })).toBe("");
      expect(await ids({ model_name: "=gpt-4o" })).toBe("ca");
      expect(await ids({ model_name: "=gpt-4" })).toBe("");
      expect(await ids({ model_name: "_" })).toBe("");
      expect(await ids({ start_timestamp: String(now - 50), end_timestamp: String(now - 1) })).toBe(
        "a",
      );
      expect(await ids({ username: "AL%" })).toBe("ca");
      expect(await ids({ username: "lice%" })).toBe("");
      expect(await ids({ token_name: "pho%" })).toBe("c");
      expect(await ids({ token_name: "hone%" })).toBe("");
      expect(await ids({ group: "VI%" })).toBe("c");
      expect(await ids({ group: "_ip%" })).toBe("");
      expect(await ids({ channel_name: "ma%" })).toBe("ba");
      expect(await ids({ channel_name: "main" })).toBe("ba");
      expect(await ids({ channel_name: "ain%" })).toBe("");
      expect(await ids({ channel: "4" })).toBe("c");
      expect(await ids({ group: "vip" })).toBe("c");
      expect(await ids({ usage_source: "upstream+seen" })).toBe("a");
      expect(await ids({ usage_source: "upstream" })).toBe("cb");
      expect(await ids({ usage_source: "local" })).toBe("");
      expect(await ids({ key: "sk-bobs" })).toBe("b");
      expect(await ids({ key: "bobs" })).toBe("b");
      expect(await ids({ key: "wrong" })).toBe("");
      // Only root may filter by key, so the endpoint for admins ignores the field and lists all
      // rows.
      expect(await ids({ key: "wrong" }, contract.listLogs)).toBe("cba");
      await close();
    });

    test("pages are newest first, page 0 is page 1, a page past the end is empty", async () => {
      const { db, ask, close } = await openLogs(dialect);
      await insertCallLogs(
        db,
        Array.from({ length: 5 }, (_, id) => ({ ...call, quota: id })),
      );
      const quotas = async (p: string) =>
        contract.listOwnLogs.output
          .parse(await ask(contract.listOwnLogs, { p, page_size: "2" }, alice))
          .items.map(({ quota }) => quota);

      expect(await quotas("0")).toEqual([4, 3]);
      expect(await quotas("1")).toEqual([4, 3]);
      expect(await quotas("3")).toEqual([0]);
      expect(await quotas("10000")).toEqual([]);
      await close();
    });

    test("O-475 O-476: sums equal those of the rows, also after a cleaning", async () => {
      const { db, ask, close } = await openLogs(dialect);
      const name = { name: "laptop", token_id: 12, user_id: 8 };
      await db.insertInto("token_names").values(name).execute();
      const at = [-5 * hour - 100, -3 * hour, -2 * hour - 1_000, -hour, -70, -5];
      const rows = at.map((offset, index) => ({
        ...call,
        created_at: now + offset,
        quota: 10 ** index,
        user_id: index === 3 ? 8 : 7,
      }));
      await insertCallLogs(db, [...rows, { ...call, type: 1, quota: 5 }]);
      await addHours(db, rows);
      const sum = async (filter: object) =>
        contract.readLogStat.output.parse(await ask(contract.readLogStat, filter, admin));

      expect(await sum({})).toEqual({ quota: 111_111, rpm: 1, tpm: 130 });
      expect(await sum({ type: "1" })).toMatchObject({ quota: 111_111 });
      expect(await sum({ start_timestamp: now - 3 * hour })).toMatchObject({ quota: 111_110 });
      expect(await sum({ start_timestamp: now - 3 * hour + 1 })).toMatchObject({ quota: 111_100 });
      expect(await sum({ end_timestamp: now - 71 })).toMatchObject({ quota: 1_111, rpm: 1 });
      expect(await sum({ end_timestamp: now - 70 })).toMatchObject({ quota: 11_111 });
      expect(await sum({ end_timestamp: now + hour })).toMatchObject({ quota: 111_111 });
      expect(await sum({ username: "bob" })).toEqual({ quota: 1_000, rpm: 0, tpm: 0 });
      expect(await sum({ token_name: "laptop" })).toMatchObject({ quota: 111_111 });
      expect(await sum({ model_name: "claude" })).toEqual({ quota: 0, rpm: 0, tpm: 0 });
      expect(await sum({ start_timestamp: now, end_timestamp: now - 9 })).toMatchObject({
        quota: 0,
      });
      expect(await ask(contract.readOwnLogStat, { username: "bob" }, alice)).toMatchObject({
        quota: 110_111,
      });
      await ask(contract.cleanLogs, { target_timestamp: String(now - 3 * hour + 1) }, root);
      expect(await sum({})).toMatchObject({ quota: 111_100 });
      await close();
    });

    test("sums count the rows alone that the source of usage or the request's id leaves", async () => {
      const { db, ask, close } = await openLogs(dialect);
      const rows = [-3 * hour, -2 * hour, -5].map((offset, index) => ({
        ...call,
        created_at: now + offset,
        quota: 10 ** index,
        request_id: `r${index}`,
        usage_source: index === 0 ? "upstream" : "local",
      }));
      await insertCallLogs(db, rows);
      await addHours(db, rows);
      const sum = async (filter: object, endpoint: Endpoint, caller: typeof root) =>
        contract.readLogStat.output.parse(await ask(endpoint, filter, caller));
      const all = [
        [contract.readLogStat, admin],
        [contract.readLogStatByKey, root],
        [contract.readOwnLogStat, alice],
      ] as const;

      for (const [endpoint, caller] of all) {
        const of = async (filter: object) => await sum(filter, endpoint, caller);
        expect(await of({ usage_source: "" })).toEqual({ quota: 111, rpm: 1, tpm: 130 });
        expect(await of({ usage_source: "local" })).toEqual({ quota: 110, rpm: 1, tpm: 130 });
        expect(await of({ usage_source: "upstream" })).toEqual({ quota: 1, rpm: 0, tpm: 0 });
        expect(await of({ usage_source: "local", end_timestamp: now - hour })).toMatchObject({
          quota: 10,
        });
      }
      expect(await sum({ request_id: "r1" }, contract.readLogStat, admin)).toMatchObject({
        quota: 10,
      });
      await close();
    });

    test("O-471: without any row the sums are 0", async () => {
      const { ask, close } = await openLogs(dialect);
      expect(await ask(contract.readOwnLogStat, {}, alice)).toEqual({ quota: 0, rpm: 0, tpm: 0 });
      await close();
    });

    test("A-421 O-479: a cleaning removes older rows and raises the log watermark", async () => {
      const { db, ask, close } = await openLogs(dialect);
      const old = Array.from({ length: 1_500 }, () => ({ ...call, created_at: now - 10 }));
      await insertCallLogs(db, [...old, { ...call, type: 4, created_at: now - 10 }, call]);

      const answer = await ask(contract.cleanLogs, { target_timestamp: String(now) }, root);

      expect(isReplyValue(answer) && [answer.data, answer.message]).toEqual([1_501, ""]);
      expect(await db.selectFrom("logs").select("id").execute()).toEqual([{ id: 1_502 }]);
      expect(await readLogWatermark(db)).toBe(1_500);
      const notes = await db.selectFrom("audit_log").select(["action", "detail"]).execute();
      expect(notes).toEqual([
        { action: "log.clean", detail: JSON.stringify({ before: now, removed: 1_501 }) },
      ]);
      expect(await verifyAudit(db)).toMatchObject({ ok: true });
      await close();
    });

    test("a long cleaning stops with a message; the next request continues it", async () => {
      const { db, ask, clock, close } = await openLogs(dialect);
      const old = Array.from({ length: 460 }, () => ({ ...call, created_at: now - 10 }));
      await insertCallLogs(db, old);
      clock.stepMs = 2_500;
      const clean = async () =>
        await ask(contract.cleanLogs, { target_timestamp: String(now) }, root);

      expect(await clean()).toMatchObject({
        data: 200,
        message: "还有更早的日志，请再次清理",
      });
      clock.stepMs = 0;
      expect(await clean()).toMatchObject({ data: 260, message: "" });
      await close();
    });

    test("O-479: a cleaning in the background tells how far it is, and can be stopped", async () => {
      const { db, store, ask, close } = await openLogs(dialect);
      const old = Array.from({ length: 500 }, () => ({ ...call, created_at: now - 10 }));
      await insertCallLogs(db, [...old, call]);
      const read = async () =>
        contract.logCleaning.parse(await ask(contract.readLogCleaning, {}, root));
      expect(await read()).toMatchObject({ state: "idle", total: null });
      const actor = { userId: 1, username: "root", clientIp: "203.0.113.9" };
      const nowMs = now * 1_000;

      await store.beginCleaning({ before: now, actor, nowMs });
      await store.noteCleaningTotal(await store.countOldLogs(now));
      await store.cleanStep(nowMs);
      expect(await read()).toMatchObject({ state: "running", removed: 200, total: 500 });
      const another = { target_timestamp: now - 5 };
      expect(ask(contract.startLogCleaning, another, root)).rejects.toThrow("正在清理日志");

      expect(await ask(contract.stopLogCleaning, {}, root)).toMatchObject({ state: "stopped" });
      await store.cleanStep(nowMs);
      expect(await db.selectFrom("logs").select("id").execute()).toHaveLength(301);

      await ask(contract.startLogCleaning, { target_timestamp: now }, root);
      while ((await read()).state === "running") await Bun.sleep(5);
      expect(await read()).toMatchObject({ state: "done", removed: 300 });
      expect(await db.selectFrom("logs").select("id").execute()).toHaveLength(1);
      const notes = await db.selectFrom("audit_log").select(["actor_id", "detail"]).execute();
      expect(notes.map(({ detail }) => JSON.parse(detail).removed)).toEqual([200, 300]);
      expect(await verifyAudit(db)).toMatchObject({ ok: true });
      await close();
    });

    test("a cleaning whose process has ended goes on, and not before", async () => {
      const { db, store, cleaner, clock, close } = await openLogs(dialect);
      await insertCallLogs(db, [{ ...call, created_at: now - 10 }]);
      const actor = { userId: 1, username: "root", clientIp: "" };
      await store.beginCleaning({ before: now, actor, nowMs: now * 1_000 });
      const resume = async (): Promise<string> => {
        await cleaner.jobs.find(({ name }) => name === "resume-log-cleaning")?.run();
        return (await cleaner.read()).state;
      };

      expect(await resume()).toBe("running");
      clock.ms += 31_000;
      expect(await resume()).toBe("done");
      expect(await db.selectFrom("logs").select("id").execute()).toEqual([]);
      await close();
    });

    test("O-414: rows older than the retention go, the others and the roll-up stay", async () => {
      const { db, cleaner, daysKept, close } = await openLogs(dialect);
      const day = 86_400;
      const rows = [91, 90, 30, 1].map((days) => ({ ...call, created_at: now - days * day }));
      await insertCallLogs(db, rows);
      await addHours(db, rows);
      const retain = async (): Promise<number> => {
        await cleaner.jobs.find(({ name }) => name === "log-retention")?.run();
        return (await db.selectFrom("logs").select("id").execute()).length;
      };

      expect(await retain()).toBe(4);
      daysKept.count = 90;
      expect(await retain()).toBe(3);
      daysKept.count = 7;
      expect(await retain()).toBe(1);
      expect(await db.selectFrom("usage_hours").select("hour").execute()).toHaveLength(4);
      expect(await readLogWatermark(db)).toBe(3);
      expect(await db.selectFrom("audit_log").select(["actor_id", "action"]).execute()).toEqual([
        { actor_id: 0, action: "log.clean" },
        { actor_id: 0, action: "log.clean" },
      ]);
      await close();
    });

    test("a cleaning without a time is refused", async () => {
      const { db, ask, close } = await openLogs(dialect);
      await insertCallLogs(db, [call]);
      for (const target_timestamp of ["0", "", "NaN", "-5"]) {
        await expect(ask(contract.cleanLogs, { target_timestamp }, root)).rejects.toThrow(
          "target timestamp is required",
        );
      }
      expect(await db.selectFrom("logs").select("id").execute()).toHaveLength(1);
      await close();
    });

    test("a call by key returns the rows of its token, whatever the input says", async () => {
      const { db, ask, close } = await openLogs(dialect);
      await insertCallLogs(db, [call, { ...call, user_id: 8, token_id: 12, request_id: "b" }]);
      const nobody: Caller = { ...person, userId: 0, role: 0, username: "" };

      const by = (tokenKey: string) =>
        ask(contract.listTokenLogs, { key: "alice" }, { ...nobody, tokenKey });
      expect(await by("bobs")).toMatchObject({
        data: [{ request_id: "b", channel: 0 }],
        extras: { total: 1 },
      });
      expect(await by("unused")).toMatchObject({ data: [], extras: { total: 0 } });
      await close();
    });

    test("O-409: rows of other modules contain the user's name", async () => {
      const { db, ask, close } = await openLogs(dialect);
      await insertLog(db, { type: 1, userId: 7, content: "充值", quota: 500, nowMs: now * 1_000 });

      expect(await ask(contract.listOwnLogs, {}, alice)).toMatchObject({
        items: [{ type: 1, username: "alice", quota: 500, created_at: now, other: "", losses: [] }],
      });
      await close();
    });
  });
}
