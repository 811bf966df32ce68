import { describe, expect, test } from "bun:test";
import * as contract from "@tollgate/contract/endpoints/channels.ts";
import * as probes from "@tollgate/contract/endpoints/channel-probes.ts";
import { testDialects } from "#db/testing/database.ts";
import { claimTest } from "./channels.repo.ts";
import { judgeTest, type TestOutcome } from "./channels.ts";
import { now, openGateway } from "./testing/channels.ts";

const fast: TestOutcome = { ok: true, message: "", field: null, seconds: 0.8, atFault: false };
const slow: TestOutcome = { ...fast, seconds: 5.5 };
const failed = { ok: false, seconds: 0.1 };
const broken: TestOutcome = { ...failed, message: "401", field: "key", atFault: true };
const busy: TestOutcome = { ...failed, message: "429", field: null, atFault: false };

describe("verdict on a test", () => {
  const rules = { automaticDisable: true, automaticEnable: true, slowest: 5 };
  const off = { automaticDisable: false, automaticEnable: false, slowest: 5 };
  const enabled = { status: 1, auto_ban: 1 };
  const byHand = { status: 2, auto_ban: 1 };
  const automatic = { status: 3, auto_ban: 1 };

  test("O-200 O-201: only a channel at fault or too slow is disabled", () => {
    expect(judgeTest(enabled, broken, rules)).toEqual({ status: 3, reason: "401" });
    expect(judgeTest(enabled, slow, rules)).toMatchObject({ status: 3 });
    expect(judgeTest(enabled, slow, rules)?.reason).toContain("响应时间 5.50s 超过阈值 5.00s");
    expect(judgeTest(enabled, busy, rules)).toBeNull();
    expect(judgeTest(enabled, fast, rules)).toBeNull();
    expect(judgeTest(enabled, slow, { ...rules, slowest: 0 })).toBeNull();
  });

  test("O-185: no channel is disabled if the option or its own switch is off", () => {
    expect(judgeTest(enabled, broken, off)).toBeNull();
    expect(judgeTest(enabled, slow, off)).toBeNull();
    expect(judgeTest({ status: 1, auto_ban: 0 }, broken, rules)).toBeNull();
  });

  test("O-202: the option enables recovered channels, never one disabled by hand", () => {
    expect(judgeTest(automatic, fast, rules)).toEqual({ status: 1, reason: "" });
    expect(judgeTest(automatic, fast, off)).toBeNull();
    expect(judgeTest(automatic, slow, rules)).toBeNull();
    expect(judgeTest(automatic, broken, rules)).toBeNull();
    for (const outcome of [fast, slow, broken]) {
      expect(judgeTest(byHand, outcome, rules)).toBeNull();
    }
  });
});

for (const dialect of testDialects) {
  describe(`tests of channels on ${dialect}`, () => {
    test("O-187 O-221: a test returns seconds and stores milliseconds", async () => {
      const { call, create, read, tested, world, close } = await openGateway(dialect);
      const id = await create();

      expect(await call(probes.testChannel, { id, model: "o3" })).toMatchObject({
        extras: { time: 0.5 },
      });
      expect(tested).toEqual([[id, "o3"]]);
      expect(world.streamed).toEqual([]);
      await call(probes.testChannel, { id, stream: "true" });
      expect(world.streamed).toEqual([id]);
      expect(await read(id)).toMatchObject({ response_time: 500, test_time: now });
      await close();
    });

    test("a suspect channel is disabled only when its own test fails too, and tested once a minute", async () => {
      const { create, read, tested, world, tester, close } = await openGateway(dialect);
      world.rules = { automaticDisable: true, automaticEnable: false, slowest: 0 };
      const [sound, failing, exempt, off] = [
        await create(),
        await create(),
        await create({ auto_ban: 0 }),
        await create(),
      ];
      world.outcome = async (id) => (id === sound ? fast : busy);
      const blamed = "status code 400: credit balance";
      await Promise.all([1, 2, 3].map(async () => await tester.suspect(sound, blamed)));
      await tester.suspect(sound, blamed);
      expect(tested).toEqual([[sound, null]]);
      await tester.suspect(failing, blamed);
      await tester.suspect(exempt, blamed);
      world.rules = { ...world.rules, automaticDisable: false };
      await tester.suspect(off, blamed);
      const statuses = [sound, failing, exempt, off].map(async (id) => (await read(id)).status);
      expect(await Promise.all(statuses)).toEqual([1, 3, 1, 1]);
      expect((await read(failing)).other_info).toContain(blamed);
      await close();
    });

    test("a failed test returns reason and time, and keeps the last good time stored", async () => {
      const { call, create, read, world, close } = await openGateway(dialect);
      const id = await create();
      await call(probes.testChannel, { id });
      world.outcome = async () => busy;

      expect(await call(probes.testChannel, { id })).toMatchObject({
        success: false,
        message: "429",
        extras: { time: 0.1 },
      });
      expect(await read(id)).toMatchObject({ response_time: 500, status: 1 });
      await close();
    });

    test("a channel can be tried before it is saved, and nothing is stored", async () => {
      const { db, call, world, tried, close } = await openGateway(dialect);
      const draft = { type: 1, key: "sk-one\nsk-two", models: "gpt-4o", name: "" };

      expect(await call(probes.tryChannel, { ...draft, model: "o3" })).toMatchObject({
        extras: { time: 0.5 },
      });
      expect(tried).toMatchObject([[{ id: 0, keys: ["sk-one", "sk-two"] }, "o3"]]);
      world.outcome = async () => broken;
      expect(await call(probes.tryChannel, draft)).toMatchObject({
        success: false,
        message: "401",
        field: "key",
      });
      expect(await db.selectFrom("channels").select("id").execute()).toEqual([]);
      await close();
    });

    test("a channel that is saved as it answered a trial is tested, and any other is not", async () => {
      const { call, read, world, close } = await openGateway(dialect);
      const draft = { type: 1, key: "sk-one", models: "gpt-4o", name: "main", group: "default" };
      const create = async (fields: object) => {
        const made = contract.createChannel.output.parse(
          await call(contract.createChannel, { ...draft, ...fields }),
        );
        return await read(made[0] ?? 0);
      };
      await call(probes.tryChannel, { ...draft, model: "gpt-4o" });

      expect(await create({})).toMatchObject({ test_time: now, response_time: 500 });
      expect(await create({ name: "renamed", models: "gpt-4o,o3" })).toMatchObject({
        response_time: 500,
      });
      const untested = { test_time: 0, response_time: 0 };
      expect(await create({ key: "sk-two" })).toMatchObject(untested);
      expect(await create({ base_url: "https://api.example.com" })).toMatchObject(untested);
      world.outcome = async () => broken;
      const other = { key: "sk-three" };
      await call(probes.tryChannel, { ...draft, ...other });
      expect(await create(other)).toMatchObject(untested);
      await close();
    });

    // If the stored key were used for any server, an admin could read it by trying the channel with
    // the address of a server of their own.
    test("a trial without a key uses the stored key, but only for the same server", async () => {
      const { call, create, tried, close } = await openGateway(dialect);
      const id = await create();
      const draft = { id, type: 1, models: "gpt-4o" };

      await call(probes.tryChannel, draft);
      await call(probes.tryChannel, { ...draft, base_url: "https://api.openai.com/v1" });
      expect(tried.map(([channel]) => channel.keys)).toEqual([
        ["sk-0123456789abcdefgh"],
        ["sk-0123456789abcdefgh"],
      ]);
      const elsewhere = { ...draft, base_url: "https://evil.example.com" };
      await expect(call(probes.tryChannel, elsewhere)).rejects.toThrow("必须重新填写密钥");
      const inside = { ...draft, key: "k", base_url: "http://192.168.0.1" };
      await expect(call(probes.tryChannel, inside)).rejects.toThrow("不允许访问的网络");
      expect(tried).toHaveLength(2);
      await close();
    });

    test("O-190 O-202: a fault disables a channel with a reason, a good test enables", async () => {
      const { db, call, create, read, world, close } = await openGateway(dialect);
      const id = await create();
      world.rules = { automaticDisable: true, automaticEnable: true, slowest: 5 };
      world.outcome = async () => broken;

      await call(probes.testChannel, { id });
      const disabled = await read(id);
      expect(disabled.status).toBe(3);
      expect(JSON.parse(disabled.other_info)).toEqual({ status_reason: "401", status_time: now });
      world.outcome = async () => fast;
      await call(probes.testChannel, { id });

      expect(await read(id)).toMatchObject({ status: 1, other_info: "" });
      const logs = await db.selectFrom("logs").select(["type", "channel", "content"]).execute();
      expect(logs).toMatchObject([
        { type: 4, channel: id, content: "通道「main」（#1）已被禁用，原因：401" },
        { type: 4, channel: id, content: "通道「main」（#1）已被启用" },
      ]);
      const changes = await db.selectFrom("config_changes").select("entity_id").execute();
      expect(changes.slice(-2)).toEqual([{ entity_id: id }, { entity_id: id }]);
      await close();
    });

    // The relay may report a failed call after an administrator has disabled the channel by hand;
    // the report must not change that.
    test("the relay never switches a channel that was disabled by hand", async () => {
      const { db, store, call, create, read, close } = await openGateway(dialect);
      const id = await create();
      await call(contract.updateChannel, { id, status: 2 });
      const change = { channelId: id, reason: "late", nowMs: now * 1_000 };

      expect(await store.switchAutomatically({ ...change, status: 3 })).toBe(false);
      expect(await store.switchAutomatically({ ...change, status: 1 })).toBe(false);
      expect(await read(id)).toMatchObject({ status: 2, other_info: "" });
      expect(await db.selectFrom("logs").select("id").execute()).toEqual([]);
      await close();
    });

    test("O-222: a round skips channels disabled by hand; one round runs at a time", async () => {
      const { db, call, create, world, tested, close } = await openGateway(dialect);
      await create({ key: "1\n2\n3\n4\n5\n6\n7" });
      await call(contract.updateChannel, { id: 2, status: 2 });
      await db.updateTable("channels").set({ status: 3 }).where("id", "=", 3).execute();
      const gate = Promise.withResolvers<void>();
      world.outcome = async (id) => {
        await gate.promise;
        if (id === 4) throw new Error("not the channel's fault");
        return fast;
      };

      await call(probes.testChannels, {});
      await expect(call(probes.testChannels, {})).rejects.toThrow("测试已在运行中");
      gate.resolve();
      await until(async () => await startsAgain(call));

      expect(tested.slice(0, 6).map(([id]) => id)).toEqual([1, 3, 4, 5, 6, 7]);
      expect(world.problems).toMatchObject([{ message: "not the channel's fault" }]);
      await close();
    });

    test("a round does not test channels of tasks, so they do not look broken", async () => {
      const { call, create, read, tested, close } = await openGateway(dialect);
      const chat = await create();
      const suno = await create({ type: 36, base_url: "https://suno.example", models: "suno" });
      await call(probes.testChannels, {});
      await until(async () => await startsAgain(call));

      expect(tested.map(([id]) => id)).not.toContain(suno);
      expect(await read(suno)).toMatchObject({ test_time: 0, test_error: "" });
      expect(await read(chat)).toMatchObject({ test_time: now });
      await close();
    });

    test("a stopped round ends after the channels it is working on, and sends no notice", async () => {
      const { call, create, world, tested, tester, close } = await openGateway(dialect);
      await create({ key: "1\n2\n3\n4\n5\n6\n7" });
      const gate = Promise.withResolvers<void>();
      world.outcome = async () => {
        await gate.promise;
        return fast;
      };

      expect(await call(probes.stopRound, { round: "tests" })).toBe(false);
      await call(probes.testChannels, {});
      await until(async () => (await tester.round()).current.length === 4);
      expect(await call(probes.stopRound, { round: "tests" })).toBe(true);
      gate.resolve();
      await until(async () => !(await tester.round()).running);

      const ended = { run: 1, done: 4, total: 7, stopped: true, current: [] };
      expect(await call(probes.readRounds, {})).toMatchObject({ tests: ended });
      expect(tested).toHaveLength(4);
      expect(world.rounds).toEqual([]);
      await call(probes.testChannels, {});
      await until(async () => await Promise.resolve(world.rounds.length === 1));
      expect(world.rounds).toMatchObject([{ run: 2, done: 7, failed: 0, total: 7 }]);
      await close();
    });

    test("O-085: why a test failed is kept until one succeeds, and the list is filtered by it", async () => {
      const { call, create, read, world, close } = await openGateway(dialect);
      await create({ key: "1\n2" });
      const refused = { ...fast, ok: false, message: "上游拒绝了该密钥 (401)" };
      world.outcome = async (id) => (id === 2 ? refused : fast);
      const failed = async () => {
        const listed = await call(contract.searchChannels, { test: "failed" });
        return JSON.stringify(listed).match(/"id":\d+/g) ?? [];
      };

      expect(await failed()).toEqual([]);
      await call(probes.testChannel, { id: 1 });
      await call(probes.testChannel, { id: 2 });
      expect(await failed()).toEqual(['"id":2']);
      expect(await read(2)).toMatchObject({ test_error: "上游拒绝了该密钥 (401)" });
      world.outcome = async () => fast;
      await call(probes.testChannel, { id: 2 });
      expect(await read(2)).toMatchObject({ test_error: "", response_time: 800 });
      expect(await failed()).toEqual([]);
      await close();
    });

    test("O-202: channels whose test is too old are tested, by one node, and nobody is told", async () => {
      const { db, create, read, tested, tester, world, close } = await openGateway(dialect);
      await create();
      await create({ status: 2 });
      await create({ type: 36, base_url: "https://suno.example", models: "suno" });
      tester.startDue(now + 1);
      await until(async () => (await read(1)).test_time === now);
      const added = await create();
      await until(async () => {
        tester.startDue(now);
        return (await read(added)).response_time > 0;
      });
      expect(tested).toEqual([
        [1, null],
        [added, null],
      ]);
      expect([(await tester.round()).run, world.rounds.length]).toEqual([0, 0]);
      const claim = { id: 1, seen: now, at: now + 60 };
      expect([await claimTest(db, claim), await claimTest(db, claim)]).toEqual([true, false]);
      await close();
    });

    test("O-091: key and model select the channels to test and the model to test", async () => {
      const { call, create, tested, read, close } = await openGateway(dialect);
      await create({ key: "one", models: "gpt-4o,o3" });
      await create({ key: "one", models: "claude-3" });
      await create({ key: "two", models: "gpt-4o" });

      for (const half of [{ key: "one" }, { model: "gpt-4o" }]) {
        await expect(call(probes.testChannels, half)).rejects.toThrow("请先搜索KEY和模型");
      }
      await call(probes.testChannels, { key: " one ", model: "gpt-4o" });
      await until(async () => (await read(1)).test_time === now);
      expect(tested).toEqual([[1, "gpt-4o"]]);
      await close();
    });

    test("the upstream's models are listed with the channel's own key and address", async () => {
      const { call, create, asked, close } = await openGateway(dialect);
      const id = await create({ base_url: "https://one.example/v1", key: "sk-own" });

      expect(await call(probes.fetchModels, { id })).toEqual(["b", "a"]);
      const fresh = { type: 1, key: "sk-first\nsk-second", base_url: "https://two.example" };
      expect(await call(probes.fetchNewModels, fresh)).toEqual(["b", "a"]);
      expect(asked).toMatchObject([
        { baseUrl: "https://one.example/v1", key: "sk-own" },
        { baseUrl: "https://two.example", key: "sk-first" },
      ]);
      await expect(
        call(probes.fetchNewModels, { ...fresh, base_url: "http://192.168.0.1" }),
      ).rejects.toMatchObject({ code: "invalid-input" });
      await expect(
        call(probes.fetchNewModels, { ...fresh, key: "sk-wrong" }),
      ).rejects.toMatchObject({ message: "401", field: "key" });
      expect(asked).toHaveLength(3);
      const draft = { id, type: 1, base_url: "https://one.example/v1" };
      await call(probes.fetchNewModels, draft);
      expect(asked[3]).toMatchObject({ key: "sk-own" });
      const seen = { ...draft, setting: '{"proxy":"http://proxy.example:3128"}' };
      await call(probes.fetchNewModels, seen);
      expect(asked[4]).toMatchObject({ key: "sk-own", proxy: { host: "proxy.example" } });
      const elsewhere = { ...draft, base_url: "https://evil.example" };
      await expect(call(probes.fetchNewModels, elsewhere)).rejects.toThrow("重新填写密钥");
      expect(asked).toHaveLength(5);
      await close();
    });
  });
}

type Call = Awaited<ReturnType<typeof openGateway>>["call"];

/** Tries to start a test of all channels. Returns false if another one is still running. */
async function startsAgain(call: Call): Promise<boolean> {
  return await call(probes.testChannels, {}).then(
    () => true,
    () => false,
  );
}

/** Waits until background work has made the condition true. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("it never became so");
    await Bun.sleep(5);
  }
}
