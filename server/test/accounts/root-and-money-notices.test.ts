import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import { bindStore } from "#db/store.ts";
import { testDialects } from "#db/testing/database.ts";
import { lostMs } from "#modules/notifications/broadcasts.repo.ts";
import { openChannelNotices } from "#modules/notifications/channel-notices.ts";
import { openMoneyNotices } from "#modules/notifications/money-notices.ts";
import { type Notice, tellMoney } from "#modules/notifications/notifications.ts";
import { notificationStore } from "#modules/notifications/notifications.store.ts";
import type { SendNotice } from "#modules/notifications/send-notice.ts";
import { openTestConsole, type TestConsole } from "./open-console.ts";

const hourMs = 3_600_000;

for (const dialect of testDialects) {
  describe(`notices to root and about money on ${dialect}`, () => {
    let gateway: TestConsole;
    let arrives = true;
    const told: { readonly userId: number; readonly notice: Notice }[] = [];
    beforeEach(async () => {
      gateway = await openTestConsole(dialect);
      await gateway.root();
      told.length = 0;
      arrives = true;
    });
    afterEach(async () => await gateway.close());

    const sendNotice: SendNotice = async ({ user_id: userId }, notice) => {
      if (!arrives) return { ok: false, reason: "no-mail-server", message: "" };
      told.push({ userId, notice });
      return { ok: true };
    };
    const common = () => ({
      store: bindStore(notificationStore, gateway.db),
      sendNotice,
      now: () => gateway.clock.nowMs,
      showQuota: (quota: number) => `${quota} units`,
      log: openLogger("silent"),
    });
    /** Opens the notices as a node does when it starts. */
    const openNode = () =>
      openChannelNotices({ ...common(), limits: openRateLimits({ now: () => 0 }) });
    const types = () => told.map(({ notice }) => notice.type);
    const down = { channelId: 3, name: "main", status: 3, reason: "401" } as const;

    test("O-602: root is told of an alert once in two hours, by all nodes together and over restarts", async () => {
      const [here, there] = [openNode(), openNode()];
      await Promise.all([here.switched(down), there.switched(down)]);
      await openNode().switched(down);
      expect(types()).toEqual(["channel_update_3_3"]);

      await here.switched({ ...down, channelId: 4 });
      await here.balanceLow({ channelId: 3, name: "main", balance: 0.5 });
      await there.balanceLow({ channelId: 3, name: "main", balance: 0.25 });
      expect(types().slice(1)).toEqual(["channel_update_4_3", "channel_balance_3"]);
      expect(told.at(-1)?.notice.values.at(-1)).toBe("0.50");

      const loss = { channelId: 3, name: "main", model: "m", charged: 5, cost: 12 };
      await here.belowCost(loss);
      await there.belowCost({ ...loss, model: "n" });
      expect(told.at(-1)?.notice).toMatchObject({
        type: "below_cost_3",
        title: "通道「main」（#3）亏本",
        values: ["main", "3", "main", "3", "m", "5 units", "12 units", "7 units"],
      });
      told.pop();

      gateway.clock.nowMs += 2 * hourMs - 1;
      await openNode().switched(down);
      expect(told).toHaveLength(3);
      gateway.clock.nowMs += 1;
      await openNode().switched(down);
      expect(told).toHaveLength(4);
    });

    test("an alert that could not be delivered does not keep the next one back", async () => {
      arrives = false;
      await openNode().switched(down);
      arrives = true;
      await openNode().switched(down);
      expect(types()).toEqual(["channel_update_3_3"]);
    });

    const paid = {
      cause: "order:7",
      userId: 0,
      event: "order_paid",
      quota: 500,
      money: "¥7.30",
    } as const;
    const runOf = (send: SendNotice = sendNotice) =>
      openMoneyNotices({ ...common(), sendNotice: send, showQuota: (quota) => `Q${quota}` });

    test("who pays is told once, whatever node sends, and only if the payment was stored", async () => {
      const ada = await gateway.user("ada");
      const move = { ...paid, userId: ada.id };
      const failed = gateway.db.transaction().execute(async (tx) => {
        await tellMoney(tx, { ...move, cause: "order:6" });
        throw new Error("the payment was not stored");
      });
      await expect(failed).rejects.toThrow("not stored");
      for (let times = 0; times < 2; times += 1) {
        await gateway.db.transaction().execute(async (tx) => await tellMoney(tx, move));
      }
      await Promise.all([runOf()(), runOf()()]);
      await runOf()();

      expect(told).toHaveLength(1);
      expect(told[0]).toMatchObject({
        userId: ada.id,
        notice: { type: "order_paid", title: "充值到账", values: ["¥7.30", "Q500"] },
      });
    });

    test("a node that dies while it sends loses no notice about money", async () => {
      const ada = await gateway.user("ada");
      await gateway.db
        .transaction()
        .execute(
          async (tx) =>
            await tellMoney(tx, { ...paid, userId: ada.id, event: "dividend", money: "" }),
        );
      const dying = runOf(async () => await Promise.reject(new Error("the node died")));
      await dying().catch(() => {});
      await runOf()();
      expect(told).toEqual([]);

      gateway.clock.nowMs += lostMs;
      await runOf()();
      expect(told.map(({ notice }) => [notice.type, notice.values])).toEqual([
        ["dividend", ["Q500"]],
      ]);
    });
  });
}
