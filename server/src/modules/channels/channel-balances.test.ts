import { describe, expect, test } from "bun:test";
import * as contract from "@tollgate/contract/endpoints/channels.ts";
import * as probes from "@tollgate/contract/endpoints/channel-probes.ts";
import { testDialects } from "#db/testing/database.ts";
import { findProvider } from "#providers/registry.ts";
import { now, openGateway } from "./testing/channels.ts";

for (const dialect of testDialects) {
  describe(`balances of channels on ${dialect}`, () => {
    test("O-188 O-224: an update returns the balance and stores it with its time", async () => {
      const { call, create, read, world, close } = await openGateway(dialect);
      const id = await create();

      expect(await call(probes.updateBalance, { id })).toMatchObject({
        extras: { balance: 12.5 },
      });
      const kept = { balance: 12.5, balance_updated_time: now };
      expect(await read(id)).toMatchObject(kept);
      world.balance = { ok: false, message: "http-401" };
      await expect(call(probes.updateBalance, { id })).rejects.toThrow("http-401");
      await expect(call(probes.updateBalance, { id: 99 })).rejects.toThrow("渠道未找到");
      expect(await read(id)).toMatchObject(kept);
      await close();
    });

    test("root is told of a channel whose balance is below the threshold", async () => {
      const { call, create, world, close } = await openGateway(dialect);
      const id = await create();
      world.lowBalance = 12.5;
      await call(probes.updateBalance, { id });
      expect(world.low).toEqual([]);

      world.lowBalance = 13;
      await call(probes.updateBalance, { id });
      expect(world.low).toMatchObject([{ channelId: id, balance: 12.5 }]);
      await close();
    });

    test("O-095 O-225: a round updates enabled channels with a readable balance", async () => {
      const { call, create, read, balances, close } = await openGateway(dialect);
      await create({ key: "1\n2" });
      await create({ type: 47, base_url: "https://example.com" });
      await call(contract.updateChannel, { id: 2, status: 2 });

      await call(probes.updateBalances, {});
      await settled(balances.round);
      const times = [];
      for (const id of [1, 2, 3]) times.push((await read(id)).balance_updated_time);
      expect(times).toEqual([now, 0, 0]);
      expect(await call(probes.readRounds, {})).toMatchObject({
        balances: { running: false, done: 1, failed: 0, total: 1 },
      });
      await close();
    });

    test("a round disables a channel without balance if option and channel allow it", async () => {
      const { call, create, read, world, balances, close } = await openGateway(dialect);
      await create();
      await create({ auto_ban: 0 });
      world.balance = { ok: true, balance: 0 };
      const round = async () => {
        await call(probes.updateBalances, {});
        await settled(balances.round);
        return [(await read(1)).status, (await read(2)).status];
      };

      expect(await round()).toEqual([1, 1]);
      world.rules = { ...world.rules, automaticDisable: true };
      expect(await round()).toEqual([3, 1]);
      expect((await read(1)).other_info).toContain("余额不足");
      await close();
    });

    test("O-188: balances are read again in time; one that cannot be read is not asked for at once", async () => {
      const { create, read, world, balances, close } = await openGateway(dialect);
      await create();
      world.balance = { ok: false, message: "401" };
      balances.startDue(now + 1);
      while (world.balancesAsked.length === 0) await Bun.sleep(1);
      world.balance = { ok: true, balance: 7 };
      await create();
      await create({ status: 2 });
      while ((await read(2)).balance !== 7) balances.startDue(now);
      expect(world.balancesAsked).toEqual([1, 2]);
      expect([(await read(1)).balance, (await balances.round()).run]).toEqual([0, 0]);
      await close();
    });
  });
}

test("each provider reads the balance from the format its upstream answers in", () => {
  const read = (type: number, ...answers: unknown[]) => findProvider(type)?.balance?.read(answers);

  expect(read(1, { hard_limit_usd: 20 }, { total_usage: 250 })).toBe(17.5);
  expect(read(1, { hard_limit_usd: 20 }, {})).toBeUndefined();
  expect(read(12, { total_remaining: 3 })).toBe(3);
  expect(read(13, { total_available: 4 })).toBe(4);
  expect(read(20, { data: { total_credits: 10, total_usage: 2.5 } })).toBe(7.5);
  expect(read(25, { data: { available_balance: 49.5 } })).toBe(49.5);
  expect(read(40, { data: { totalBalance: "88.00" } })).toBe(88);
  const infos = [
    { currency: "USD", total_balance: "1.00" },
    { currency: "CNY", total_balance: "110.00" },
  ];
  expect(read(43, { balance_infos: infos })).toBe(110);
  expect(read(43, { balance_infos: infos.slice(0, 1) })).toBe(1);
  expect(read(43, { error: "no" })).toBeUndefined();
  expect(findProvider(4)?.balance).toBeUndefined();
});

async function settled(round: () => Promise<probes.ChannelRound>): Promise<void> {
  while ((await round()).running) await Bun.sleep(1);
}
