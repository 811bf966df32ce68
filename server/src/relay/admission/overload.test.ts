import { expect, test } from "bun:test";
import { openOverload, tickMs, waitMaxMs } from "./overload.ts";
import { openResting } from "#http/resting.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";

type Round = { readonly lengthMs: number; readonly calls: number };

/** An event loop that the test runs. */
function openLoop() {
  let nowMs = 0;
  let ended = (): void => {};
  const overload = openOverload({
    elapsed: () => nowMs,
    afterRound: (work) => (ended = work),
  });
  function round({ lengthMs, calls }: Round): number {
    let shed = 0;
    for (let call = 0; call < calls; call += 1) if (overload.shedsLoad(false)) shed += 1;
    nowMs += lengthMs;
    if (calls > 0) ended();
    return shed;
  }
  return {
    overload,
    /** Runs these rounds again and again for this many ticks. */
    ticks(count: number, rounds: readonly Round[]): void {
      for (let tick = 0; tick < count; tick += 1) {
        for (const one of rounds) round(one);
        overload.tick();
      }
    },
    /** Returns which share of 1,000 calls is shed that come one a round. */
    share(): number {
      let shed = 0;
      for (let call = 0; call < 1_000; call += 1) shed += round({ lengthMs: 0, calls: 1 });
      overload.tick();
      return shed / 1_000;
    },
  };
}

/** As with a thousand connections that send again at once. */
const crowded: Round = { lengthMs: waitMaxMs * 6, calls: 330 };
const near: Round = { lengthMs: waitMaxMs * 0.9, calls: 100 };
const ordinary: Round = { lengthMs: waitMaxMs / 10, calls: 4 };

test("a burst of 1,000 calls on a machine that answers 2,000 a second is not shed", () => {
  const loop = openLoop();
  loop.ticks(1, [{ lengthMs: 300, calls: 1_000 }]);
  // Its clients send again at once, once.
  loop.ticks(8, [{ lengthMs: 100, calls: 100 }]);
  loop.ticks(1, [ordinary]);
  loop.ticks(8, [{ lengthMs: 50, calls: 20 }]);
  expect(loop.share()).toBe(0);
});

test("long rounds of a call each are not shed: other programs keep the machine busy", () => {
  const loop = openLoop();
  loop.ticks(100, [{ lengthMs: 200, calls: 1 }]);
  expect(loop.share()).toBe(0);
});

test("a few clients that send large bodies again and again are not shed", () => {
  const loop = openLoop();
  loop.ticks(3_000, [{ lengthMs: waitMaxMs * 3, calls: 32 }]);
  expect(loop.share()).toBe(0);
});

test("64 clients that send again and again are not shed on a machine that takes 0.3 ms a call", () => {
  const loop = openLoop();
  loop.ticks(3_000, [{ lengthMs: 64 * 0.3, calls: 64 }]);
  expect(loop.share()).toBe(0);
});

test("P-L1: a thousand clients are too many for a slow machine as well", () => {
  const loop = openLoop();
  loop.ticks(60, [{ lengthMs: 330 * 0.15, calls: 330 }]);
  expect(loop.share()).toBeGreaterThan(0.2);
});

test("ordinary load is not shed, nor a pause of the thread now and then", () => {
  const loop = openLoop();
  for (let second = 0; second < 60; second += 1) {
    loop.ticks(15, [ordinary, ordinary, near]);
    loop.ticks(5, [{ lengthMs: 60, calls: 40 }, ordinary]);
  }
  expect(loop.share()).toBe(0);
});

test("P-L1: while calls wait too long for each other, a growing share is shed, but never all", () => {
  const early = openLoop();
  early.ticks(14, [crowded, ordinary]);
  const late = openLoop();
  late.ticks(60, [crowded, ordinary]);
  expect(early.share()).toBeGreaterThan(0.2);
  expect(late.share()).toBeGreaterThan(early.share());
  expect(late.share()).toBeLessThan(1);
});

test("near the limit the share changes little by little, and does not begin from zero", () => {
  const loop = openLoop();
  loop.ticks(14, [crowded]);
  loop.ticks(4, [near]);
  const after = loop.share();
  expect(after).toBeGreaterThan(0.2);
  loop.ticks(2, [crowded]);
  expect(loop.share()).toBeGreaterThan(after);
});

test("P-L1: during the overload no call is taken that has waited, so those that are taken are quick", () => {
  const { overload, ticks } = openLoop();
  expect(overload.shedsLoad(true)).toBe(false);
  ticks(14, [crowded]);
  expect(Array.from({ length: 100 }, () => overload.shedsLoad(true))).not.toContain(false);
});

/** A client that sends its next call as soon as the last one is answered or refused. */
type Client = { sentMs: number; readyMs: number; stage: number; isWoken: boolean };

/** An even sequence of numbers from 0 to 1, the same in every run. */
function openNumbers(): () => number {
  let last = 0;
  return () => (last = (last + 0.618_034) % 1);
}

type Crowd = {
  readonly clients: number;
  readonly seconds: number;
  /** How many times longer the machine takes for everything. */
  readonly slowness?: number;
};

/**
 * Runs as many clients for so long, on an event loop that processes a call in three stages, with
 * waits for upstream and database between them. Returns how long a call took at most that was
 * taken, after the first second (of a slow machine: seconds), and which part of the time went into calls that were answered.
 */
function runClients({ clients: count, seconds, slowness = 1 }: Crowd) {
  const stages = 3;
  const stageMs = 0.03 * slowness;
  const refusalMs = 0.018 * slowness;
  const betweenMaxMs = 8;
  const number = openNumbers();
  let nowMs = 0;
  let endRound = (): void => {};
  const overload = openOverload({
    elapsed: () => nowMs,
    afterRound: (work) => (endRound = work),
  });
  let answered = 0;
  let longestMs = 0;
  let tickDueMs = tickMs;
  const clients = Array.from({ length: count }, (): Client => {
    return { sentMs: 0, readyMs: 0, stage: 0, isWoken: false };
  });
  let wakes: { readonly dueMs: number; readonly work: () => void }[] = [];
  const resting = openResting<Client>({
    wake: (client) => (client.readyMs = nowMs),
    afterReading: () => {},
    nowMs: () => nowMs,
    wait: (ms, work) => wakes.push({ dueMs: nowMs + ms, work }),
  });

  /** The client sends its next call; `rests`: it is read only after a rest. */
  function send(client: Client, rests: boolean): void {
    client.stage = 0;
    client.sentMs = nowMs;
    client.readyMs = rests ? Infinity : nowMs;
    client.isWoken = rests;
    if (rests) resting.add(client);
  }

  function process(client: Client): void {
    if (client.stage === 0 && overload.shedsLoad(client.isWoken)) {
      nowMs += refusalMs;
      send(client, !client.isWoken);
      return;
    }
    nowMs += stageMs;
    client.stage += 1;
    client.readyMs = nowMs + number() * betweenMaxMs;
    if (client.stage < stages) return;
    if (nowMs > 1_000 * slowness) longestMs = Math.max(longestMs, nowMs - client.sentMs);
    answered += 1;
    send(client, false);
  }

  while (nowMs < seconds * 1_000) {
    const roundMs = nowMs;
    for (const client of clients) if (client.readyMs <= roundMs) process(client);
    endRound();
    endRound = () => {};
    if (nowMs === roundMs) nowMs += 0.1;
    const now = nowMs;
    const due = wakes.filter(({ dueMs }) => dueMs <= now);
    wakes = wakes.filter(({ dueMs }) => dueMs > now);
    for (const { work } of due) work();
    // A timer that is late is not called once more for each time that it missed.
    if (tickDueMs > nowMs) continue;
    overload.tick();
    tickDueMs = nowMs + tickMs;
  }
  return { longestMs, goodput: (answered * stages * stageMs) / nowMs };
}

test("P-L1: while a thousand clients send again at once, no call is late that is taken, for a minute", () => {
  const few = runClients({ clients: 300, seconds: 5 });
  const many = runClients({ clients: 1_000, seconds: 60 });
  expect(many.longestMs).toBeLessThan(2 * few.longestMs);
  expect(many.goodput).toBeGreaterThan(0.9);
});

for (const slowness of [2, 3]) {
  test(`P-L1: so it is on a machine that is ${slowness} times slower`, () => {
    const few = runClients({ clients: 300, seconds: 20, slowness });
    const many = runClients({ clients: 1_000, seconds: 60, slowness });
    expect(many.longestMs).toBeLessThan(2 * few.longestMs);
    expect(many.goodput).toBeGreaterThan(0.9);
  });
}

test("two seconds after the overload no call is shed, with or without calls meanwhile", () => {
  for (const rounds of [[ordinary], []]) {
    const loop = openLoop();
    loop.ticks(60, [crowded]);
    loop.ticks(2_000 / tickMs, rounds);
    expect(loop.share()).toBe(0);
  }
});

test("P-L1: a shed call gets `retry-after`, holds nothing and costs nothing", async () => {
  const channel = testChannel({ baseUrl: "http://127.0.0.1:1" });
  const relay = openTestRelay({ channels: [channel], shedsLoad: () => true });
  const answer = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
  });

  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("1");
  expect(await answer.json()).toMatchObject({ error: { code: "server_overloaded" } });
  expect(relay.money).toMatchObject({ held: 0, released: 0, settled: [] });
  await relay.stop();
});
