import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NoticeEvent } from "@tollgate/contract/endpoints/notifications.ts";
import { openLogger } from "#base/logger.ts";
import { bindStore } from "#db/store.ts";
import { testDialects } from "#db/testing/database.ts";
import { openBalance } from "#modules/ledger/ledger.ts";
import type { Actor } from "#modules/audit/audit.ts";
import { lostMs } from "#modules/notifications/broadcasts.repo.ts";
import { openBroadcasts } from "#modules/notifications/broadcasts.ts";
import type { Notice } from "#modules/notifications/notifications.ts";
import { notificationStore } from "#modules/notifications/notifications.store.ts";
import type { SendNotice } from "#modules/notifications/send-notice.ts";
import { optionStore } from "#modules/options/options.store.ts";
import { installPrices } from "#modules/pricing/pricing.ts";
import { openTestConsole, type TestConsole } from "./open-console.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const actor: Actor = { userId: 1, username: "root", clientIp: "203.0.113.9" };

/** More users than a node claims in one batch of a broadcast, so that two batches are needed. */
const manyUsers = 55;

for (const dialect of testDialects) {
  describe(`broadcasts on ${dialect}`, () => {
    let gateway: TestConsole;
    const told: { readonly userId: number; readonly notice: Notice }[] = [];
    beforeEach(async () => {
      gateway = await openTestConsole(dialect);
      told.length = 0;
      await gateway.db
        .transaction()
        .execute(async (tx) => await installPrices(tx, gateway.clock.nowMs));
    });
    afterEach(async () => await gateway.close());

    const tell: SendNotice = async ({ user_id: userId }, notice) => {
      told.push({ userId, notice });
      return { ok: true };
    };
    const openRound = (sendNotice = tell, serverAddress = "https://gateway.test/") =>
      openBroadcasts({
        store: bindStore(notificationStore, gateway.db),
        sendNotice,
        serverAddress: () => serverAddress,
        contactEveryDays: () => 30,
        showQuota: String,
        now: () => gateway.clock.nowMs,
        log: openLogger("silent"),
      });
    const toldIds = () => told.map(({ userId }) => userId).toSorted((a, b) => a - b);
    const pass = (ms: number) => void (gateway.clock.nowMs += ms);
    const round = async () => await openRound()();
    const saveNotice = async (value: string, key: "Notice" | "Promotion" = "Notice") =>
      await bindStore(optionStore, gateway.db).saveOption({
        key,
        value,
        actor,
        nowMs: gateway.clock.nowMs,
      });
    const savePrice = async (ratio: string) =>
      await bindStore(optionStore, gateway.db).savePrices({
        parts: { ModelRatio: { m: ratio } },
        actor,
        nowMs: gateway.clock.nowMs,
      });
    /**
     * Makes users who subscribe to these events. They are inserted as rows, because signing each
     * one in takes long.
     */
    async function subscribers(count: number, events: readonly NoticeEvent[]): Promise<number[]> {
      const { db } = gateway;
      const ids: number[] = [];
      const columns = await sampleUser();
      for (let index = 0; index < count; index += 1) {
        const name = `${events.join("")}${index}-${ids.length}${crypto.randomUUID()}`;
        const { id } = await db
          .insertInto("users")
          .values({ ...columns, username: name, aff_code: name })
          .returning("id")
          .executeTakeFirstOrThrow();
        ids.push(id);
        await bindStore(notificationStore, db).saveSetting({
          user_id: id,
          notify_type: "email",
          quota_warning_threshold: 1,
          settings: "",
          before: "",
          events,
        });
      }
      return ids;
    }
    async function sampleUser() {
      await gateway.root();
      const row = await gateway.db
        .selectFrom("users")
        .selectAll()
        .where("role", "=", 100)
        .executeTakeFirstOrThrow();
      const { id: _, access_token_lookup: _token, ...columns } = row;
      return { ...columns, username_key: null, role: 1 };
    }

    test("announcements that two nodes plan at once do not wait for each other for ever", async () => {
      const [reader] = await subscribers(1, ["announcement"]);
      const begins_at = gateway.clock.nowMs;
      const planned = { event: "announcement", begins_at, cursor: 0, claimed_at: 0, is_over: 0 };
      const both = [
        { ...planned, content: "one" },
        { ...planned, content: "two" },
      ];
      await gateway.db.insertInto("broadcasts").values(both).execute();
      pass(minuteMs);
      await round();
      expect(toldIds()).toEqual([reader ?? 0]);
    });

    test("O-598: a promotion reaches those who want promotions, and them alone", async () => {
      const [buyer] = await subscribers(1, ["promotion"]);
      await subscribers(1, ["announcement", "price_change", "quota_low"]);
      await saveNotice("<b>Half price</b>", "Promotion");
      pass(minuteMs);
      await round();

      expect(toldIds()).toEqual([buyer ?? 0]);
      expect(told[0]?.notice).toMatchObject({ type: "promotion", values: ["Half price"] });
    });

    test("O-598: who wants regular contact is told of balance and spending every 30 days", async () => {
      const [reader] = await subscribers(1, ["periodic_contact"]);
      await subscribers(1, ["announcement"]);
      const userId = reader ?? 0;
      await openBalance(gateway.db, userId);
      const balance = gateway.db.updateTable("balances").set({ balance: 700 });
      await balance.where("user_id", "=", userId).execute();
      const startHour = Math.floor(gateway.clock.nowMs / 3_600_000) * 3_600;
      const used = { token_id: 1, channel_id: 1, model_name: "m", group: "default" };
      const counts = { prompt_tokens: 1, completion_tokens: 1 };
      await gateway.db
        .insertInto("usage_hours")
        .values([
          { hour: startHour, user_id: userId, ...used, ...counts, quota: 40, request_count: 2 },
          {
            hour: startHour + 20 * 86_400,
            user_id: userId,
            ...used,
            ...counts,
            quota: 60,
            request_count: 3,
          },
        ])
        .execute();
      await round();
      expect(told).toEqual([]);

      // The first of the two hours is more than 30 days ago then.
      pass(30 * 24 * hourMs + 2 * hourMs);
      await Promise.all([round(), round()]);
      await round();
      expect(toldIds()).toEqual([userId]);
      expect(told[0]?.notice).toMatchObject({
        type: "periodic_contact",
        values: ["30", "3", "60", "700"],
      });

      pass(29 * 24 * hourMs);
      await round();
      await round();
      expect(told).toHaveLength(1);
      pass(24 * hourMs);
      await round();
      await round();
      expect(told).toHaveLength(2);
    });

    test("A-035: an announcement reaches its subscribers alone, a minute later, as plain text", async () => {
      const [reader] = await subscribers(1, ["quota_low", "announcement"]);
      await subscribers(1, ["quota_low", "price_change"]);
      // This user has saved no settings, and so gets the balance notice only.
      await gateway.user("newcomer");
      await saveNotice(`<h1>Down</h1><p>at 8 &amp; {{value}} ${"长".repeat(600)}</p>`);

      pass(minuteMs - 1);
      await round();
      expect(told).toEqual([]);
      pass(1);
      await round();
      await round();
      expect(toldIds()).toEqual([reader ?? 0]);
      const { type, title, content, values } = told[0]?.notice ?? { values: [] };
      expect([type, title, content]).toEqual(["announcement", "系统公告", "{{value}}"]);
      const [text = ""] = values;
      expect(text).toStartWith("Down\n\nat 8 & {{value}} 长长");
      expect([...text]).toHaveLength(500);
    });

    test("A-035: changed prices are announced once, ten minutes after the last change", async () => {
      const [reader] = await subscribers(1, ["price_change"]);
      await subscribers(1, ["announcement"]);
      await savePrice("1");
      pass(6 * minuteMs);
      await savePrice("2");
      pass(6 * minuteMs);
      // Saving the same price again changes nothing, so no notice is planned.
      await savePrice("2");
      await round();
      expect(told).toEqual([]);

      pass(4 * minuteMs);
      await round();
      await round();
      expect(toldIds()).toEqual([reader ?? 0]);
      expect(told[0]?.notice).toMatchObject({
        type: "price_change",
        content: "模型价格有变动，最新价格：{{value}}",
        values: ["https://gateway.test/pricing"],
      });
    });

    test("without the server's address the price notice contains no link", async () => {
      await subscribers(1, ["price_change"]);
      await savePrice("1");
      pass(10 * minuteMs);
      await openRound(tell, "")();
      expect(told[0]?.notice).toMatchObject({ values: [] });
      expect(told[0]?.notice.content).not.toContain("{{value}}");
    });

    test("an announcement replaced or removed before it was sent reaches nobody", async () => {
      await subscribers(1, ["announcement"]);
      await saveNotice("first");
      pass(minuteMs / 2);
      await saveNotice("second");
      pass(minuteMs / 2);
      await round();
      expect(told).toEqual([]);
      pass(minuteMs / 2);
      await round();
      await round();
      expect(told.map(({ notice }) => notice.values)).toEqual([["second"]]);

      pass(3 * hourMs);
      // Saving the same text again announces nothing.
      await saveNotice("second");
      pass(hourMs);
      await round();
      expect(told).toHaveLength(1);
      await saveNotice("third");
      await saveNotice(" <p></p> ");
      pass(hourMs);
      await round();
      expect(told).toHaveLength(1);
    });

    test("A-035: two nodes at once notify every user once, over several rounds", async () => {
      const readers = await subscribers(manyUsers, ["announcement"]);
      await saveNotice("to all");
      pass(minuteMs);
      const nodes = [openRound(), openRound()];
      await Promise.all(nodes.map(async (node) => await node()));
      expect(told.length).toBeGreaterThan(0);
      for (let count = 0; count < 4; count += 1) {
        await Promise.all(nodes.map(async (node) => await node()));
      }
      expect(toldIds()).toEqual(readers);
    });

    test("A-035: after a node dies in the middle of a batch, another one notifies those whom it had not", async () => {
      const readers = await subscribers(manyUsers, ["announcement"]);
      await saveNotice("to all");
      pass(minuteMs);
      // The node notifies three users, and then no more.
      const dead = openRound(async (receiver, notice) =>
        told.length < 3 ? await tell(receiver, notice) : await new Promise(() => {}),
      );
      void dead();
      const left = async () =>
        await gateway.db.selectFrom("broadcast_receivers").select("user_id").execute();
      while ((await left()).length !== 47) await Bun.sleep(1);
      const first = toldIds();

      // The other node does not know yet that the first one is dead: it goes on behind the batch.
      await round();
      expect(toldIds()).toEqual([...first, ...readers.slice(50)].toSorted((a, b) => a - b));
      pass(lostMs);
      await Promise.all([round(), round()]);
      expect(toldIds()).toEqual(readers);
      expect(await left()).toEqual([]);
      pass(lostMs);
      await round();
      expect(told).toHaveLength(manyUsers);
    });

    test("a user who is disabled, deleted or unsubscribed before the second attempt gets no notice", async () => {
      const [kept = 0, disabled = 0, unsubscribed = 0] = await subscribers(3, ["announcement"]);
      await saveNotice("to all");
      pass(minuteMs);
      void openRound(() => new Promise(() => {}))();
      const left = async () =>
        await gateway.db.selectFrom("broadcast_receivers").select("user_id").execute();
      while ((await left()).length !== 3) await Bun.sleep(1);
      const { db } = gateway;
      await db.updateTable("users").set({ status: 2 }).where("id", "=", disabled).execute();
      await db
        .updateTable("notification_settings")
        .set({ announcement: 0 })
        .where("user_id", "=", unsubscribed)
        .execute();
      pass(lostMs);
      await round();
      expect(toldIds()).toEqual([kept]);
      expect(await left()).toEqual([]);
    });

    test("a user who cannot be notified does not stop the notices of the others", async () => {
      const readers = await subscribers(3, ["announcement"]);
      await saveNotice("to all");
      pass(minuteMs);
      await openRound(async (receiver, notice) => {
        if (receiver.user_id === readers[0]) throw new Error("its key cannot be opened");
        return await tell(receiver, notice);
      })();
      expect(toldIds()).toEqual(readers.slice(1));
    });

    test("A-035: disabled and deleted users get no notice", async () => {
      const [kept = 0, disabled = 0, deleted = 0] = await subscribers(3, ["announcement"]);
      const change = async (id: number, columns: object) =>
        await gateway.db.updateTable("users").set(columns).where("id", "=", id).execute();
      await saveNotice("to all");
      pass(minuteMs);
      await change(disabled, { status: 2 });
      await change(deleted, { DeletedAt: new Date(gateway.clock.nowMs).toISOString() });
      await round();
      await round();
      expect(toldIds()).toEqual([kept]);
    });

    test("A-035: one event notifies at most every two hours; another event does not wait", async () => {
      const [reader = 0] = await subscribers(1, ["announcement", "price_change"]);
      await saveNotice("one");
      pass(minuteMs);
      await round();
      await round();
      await saveNotice("two");
      await savePrice("1");
      pass(10 * minuteMs);
      await round();
      expect(told.map(({ notice }) => notice.type)).toEqual(["announcement", "price_change"]);

      pass(2 * hourMs - 10 * minuteMs - 1);
      await round();
      expect(told).toHaveLength(2);
      pass(1);
      await round();
      await round();
      expect(told.map(({ userId, notice: { values } }) => [userId, values[0]]).at(-1)).toEqual([
        reader,
        "two",
      ]);
      expect(told).toHaveLength(3);
    });

    test("a new announcement waits until the one being sent has reached everybody", async () => {
      const readers = await subscribers(manyUsers, ["announcement"]);
      await saveNotice("old");
      pass(minuteMs);
      await round();
      await saveNotice("new");
      // The clock moves past the time for which a new announcement waits before it is sent, as if
      // the server had been down.
      pass(3 * hourMs);
      await round();
      await round();
      expect(told.map(({ notice }) => notice.values[0])).toEqual(readers.map(() => "old"));
      pass(2 * hourMs);
      for (let count = 0; count < 3; count += 1) await round();
      expect(told).toHaveLength(2 * manyUsers);
      expect(told.slice(manyUsers).every(({ notice }) => notice.values[0] === "new")).toBe(true);
    });

    test("many saves leave a bounded number of rows", async () => {
      for (let count = 0; count < 5; count += 1) {
        await saveNotice(`notice ${count}`);
        await savePrice(String(count + 1));
        pass(3 * hourMs);
        await round();
      }
      const rows = await gateway.db.selectFrom("broadcasts").selectAll().execute();
      expect(rows.length).toBeLessThanOrEqual(4);
      expect(rows.length).toBeGreaterThan(0);
    });
  });
}
