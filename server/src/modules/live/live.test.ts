import { expect, test } from "bun:test";
import {
  type LiveView,
  readLive,
  stopLive,
  stopsUnproven,
  streamLive,
} from "@tollgate/contract/endpoints/live.ts";
import { Refusal } from "#base/refusal.ts";
import { isMeant, type RunningFilter } from "#canonical/running-filter.ts";
import { type Caller, isReplyValue } from "#http/handler.ts";
import type { RunningCall, StoppedBy } from "#ports/running.ts";
import type { OtherNode } from "./live-nodes.ts";
import { liveHandlers } from "./live.handlers.ts";

function callOf(part: Partial<RunningCall>): RunningCall {
  return {
    id: "r",
    kind: "call",
    userId: 7,
    username: "ada",
    tokenId: 70,
    tokenName: "laptop",
    model: "m",
    group: "default",
    formatId: "openai-chat",
    isStream: true,
    channelId: 1,
    channelName: "north",
    reason: "only",
    attempts: 1,
    ageMs: 3_000,
    firstByteMs: 1_000,
    outputTokens: 50,
    cost: 5,
    held: 50,
    clientGone: false,
    isStopping: false,
    ...part,
  };
}

const many = (count: number, part: Partial<RunningCall> = {}): RunningCall[] =>
  Array.from({ length: count }, (_, at) => callOf({ id: `r${at}`, ...part }));

const roles: Readonly<Record<number, number>> = { 1: 100, 5: 10, 6: 10, 7: 1, 8: 1 };

const caller = (userId: number): Caller => ({
  userId,
  role: (roles[userId] ?? 0) as Caller["role"], // Safe cast: one of the roles above.
  username: `user${userId}`,
  clientIp: "127.0.0.1",
  sessionId: "s",
  requestId: "q",
});

function open(here: readonly RunningCall[], others: readonly OtherNode[] = []) {
  const world = { stepUps: 0, stopped: [] as { filter: RunningFilter; by: StoppedBy }[] };
  const state = { isDraining: false, lost: false, watchers: 0 };
  const running = {
    list(filter: RunningFilter, most: number) {
      const found = here.filter((call) =>
        isMeant(filter, { ...call, role: roles[call.userId] ?? 100 }),
      );
      return { calls: found.slice(0, most), total: found.length };
    },
    stop: () => 0,
    isDraining: () => state.isDraining,
  };
  const handlers = liveHandlers({
    running,
    nodes: {
      name: "here:1",
      watch() {
        state.watchers += 1;
        return () => void (state.watchers -= 1);
      },
      others: () => others,
      readOthers: async () => others,
      async stop({ by, filter }) {
        world.stopped.push({ by, filter });
        return { stopped: 1, silent: [] };
      },
      jobs: [],
    },
    roleOf: (userId) => roles[userId],
    isStill: () => !state.lost,
    async requireStepUp() {
      world.stepUps += 1;
      throw new Refusal("step-up-needed", "请先完成两步验证");
    },
    now: () => 1_000,
    wait: async () => {},
  });
  const run = async (endpoint: object, userId: number, input: object): Promise<unknown> =>
    await handlers.find((each) => each.endpoint === endpoint)?.run(input, caller(userId));
  return { run, state, world };
}

const view = async ({ run }: ReturnType<typeof open>, userId: number, input: object = {}) =>
  (await run(readLive, userId, input)) as LiveView; // Safe cast: the contract of `readLive`.

const other = (part: Partial<OtherNode>): OtherNode => ({
  nodeId: "b",
  name: "there:2",
  total: 0,
  isDraining: false,
  calls: [],
  ageMs: 500,
  ...part,
});

test("more than ten calls are stopped with a fresh second factor only, wherever they run", async () => {
  const few = open(many(stopsUnproven));
  await few.run(stopLive, 1, { user_id: 7, reason: "loops" });
  expect([few.world.stepUps, few.world.stopped.length]).toEqual([0, 1]);
  expect(few.world.stopped[0]?.by).toEqual({ userId: 1, username: "user1", reason: "loops" });

  const here = open(many(stopsUnproven + 1));
  await expect(here.run(stopLive, 1, { user_id: 7 })).rejects.toThrow("两步验证");
  const all = Array.from({ length: stopsUnproven + 1 }, (_, at) => `r${at}`);
  await expect(here.run(stopLive, 1, { request_ids: all })).rejects.toThrow("两步验证");
  await here.run(stopLive, 1, { request_ids: all.slice(1) });
  expect(here.world.stopped).toHaveLength(1);

  const both = open(many(6), [other({ total: 6, calls: many(6, { userId: 8 }) })]);
  await expect(both.run(stopLive, 1, { model_name: "m" })).rejects.toThrow("两步验证");
  // Of a node that has more calls than it tells, nobody knows how many are meant.
  const cut = open([], [other({ total: 500, calls: many(1) })]);
  await expect(cut.run(stopLive, 1, { user_id: 8 })).rejects.toThrow("两步验证");
});

test("root sees all, administrators those below them, users their own and no channel", async () => {
  const world = open(
    [callOf({ id: "ada" }), callOf({ id: "admin", userId: 6 })],
    [
      other({
        total: 2,
        calls: [callOf({ id: "eve", userId: 8, ageMs: 9_000 }), callOf({ id: "gone", userId: 99 })],
      }),
    ],
  );
  const ids = ({ calls }: LiveView): string[] => calls.map(({ request_id }) => request_id);
  expect(ids(await view(world, 1))).toEqual(["eve", "gone", "ada", "admin"]);
  expect(ids(await view(world, 5))).toEqual(["eve", "ada"]);
  expect(ids(await view(world, 6))).toEqual(["eve", "ada", "admin"]);
  const own = await view(world, 7, { username: "nobody", channel: "99" });
  expect(ids(own)).toEqual(["ada"]);
  expect(own.nodes).toEqual([]);
  expect(own.calls[0]).toMatchObject({ channel: 0, channel_name: "", reason: "", node: "" });
  const shown = (await view(world, 1)).calls[0];
  // What another node has told has run on since.
  expect(shown).toMatchObject({ age_ms: 9_500, node: "there:2", tokens_per_second: 5.9 });
});

test("what is not shown is counted, and a node that is silent or stops is told", async () => {
  const world = open(many(250), [other({ isDraining: true, total: 3, ageMs: 60_000 })]);
  const seen = await view(world, 1);
  expect([seen.calls.length, seen.total, seen.sampled]).toEqual([200, 250, true]);
  expect(seen.nodes).toEqual([
    { name: "here:1", calls: 250, draining: false, answers: true },
    { name: "there:2", calls: 3, draining: true, answers: false },
  ]);
});

async function* eventsOf(world: ReturnType<typeof open>, userId: number, input: object) {
  const answer = await world.run(streamLive, userId, input);
  if (!isReplyValue(answer) || answer.events === undefined) throw new Error("no events");
  yield* answer.events;
}

test("a stream ends when its reader may not see it any more, and never keeps a node from stopping", async () => {
  const world = open(many(1));
  let count = 0;
  for await (const _ of eventsOf(world, 1, {})) {
    count += 1;
    if (count === 3) world.state.lost = true;
  }
  expect([count, world.state.watchers]).toEqual([3, 0]);

  const idle = open([]);
  idle.state.isDraining = true;
  count = 0;
  for await (const _ of eventsOf(idle, 1, {})) count += 1;
  expect(count).toBe(1);
  count = 0;
  for await (const _ of eventsOf(open([]), 1, { seconds: "2" })) count += 1;
  expect(count).toBe(3);
});

test("one user has few streams at a time", async () => {
  const world = open(many(1));
  const readers = [];
  for (let at = 0; at < 6; at += 1) {
    const reader = eventsOf(world, 7, {});
    await reader.next();
    readers.push(reader);
  }
  await expect(eventsOf(world, 7, {}).next()).rejects.toThrow("实时页面过多");
  await eventsOf(world, 8, { seconds: "0" }).next();
  for (const reader of readers) await reader.return(undefined);
  await eventsOf(world, 7, { seconds: "0" }).next();
});

test("a stop without a scope, or of a channel by a user, is refused", async () => {
  const world = open(many(1));
  await expect(world.run(stopLive, 1, {})).rejects.toThrow("请指明要停止哪些调用");
  await expect(world.run(stopLive, 7, { channel: 1 })).rejects.toThrow("权限不足");
  await world.run(stopLive, 7, { token_id: 70 });
  expect(world.world.stopped[0]?.filter).toEqual({ belowRole: 0, ownId: 7, tokenId: 70 });
});
