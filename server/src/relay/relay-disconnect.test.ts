import type { Socket } from "node:net";
import { afterEach, expect, test } from "bun:test";
import type { ChannelView } from "#ports/snapshot.ts";
import { drainMsMax, drainsMax } from "./call/client-disconnect.ts";
import { drainCallsMs } from "./call/drain.ts";
import {
  openTestRelay,
  testChannel,
  type TestRelay,
  type TestRelayOptions,
} from "./testing/relay.ts";
import {
  callStream,
  disconnected,
  done,
  event,
  finish,
  role,
  streamHead,
  usageEvent,
  wholeCharge,
  words,
} from "./testing/stream.ts";
import { eventually, staysTrue, untilStill } from "#base/testing/waiting.ts";
import { type Answerer, startUpstream } from "#network/testing/upstream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function open(
  given: Omit<TestRelayOptions, "channels">,
  answerer: Answerer,
  channel: Partial<ChannelView> = {},
) {
  const upstream = await startUpstream(answerer);
  const channels = [testChannel({ ...channel, baseUrl: upstream.url })];
  const relay = openTestRelay({ ...given, channels });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream };
}

const charges = (relay: TestRelay) => relay.money.settled.map(({ charge }) => charge);
const sources = (relay: TestRelay) => relay.money.settled.map(({ log }) => log.usageSource);
/** With the tests' tokenizer the prompt has 8 tokens, and `piece` 2. */
const piece = "Hello...";
const promptCharge = 8 * 2;
const pieceCharge = 2 * 8;

test("P-K2 T11: after a disconnect the upstream is read on for a moment and its usage charged", async () => {
  let answering: Socket | undefined;
  const { relay, upstream } = await open({}, (socket) => {
    answering = socket;
    socket.write(streamHead + role + words("Hello"));
  });
  const client = callStream(relay);
  await eventually(() => client.text().includes("Hello"));
  client.leave();
  await disconnected(relay, 1);
  answering?.end(words(" there!") + finish + usageEvent + done);
  await eventually(() => charges(relay).length === 1);

  expect([charges(relay), sources(relay)]).toEqual([[wholeCharge], ["upstream"]]);
  await eventually(() => relay.relay.open() === 0 && upstream.open() === 0);
});

test("P-K2 T11: an upstream that takes longer is cut off, and its output so far is charged", async () => {
  const { relay, upstream } = await open({}, (socket) => {
    socket.write(streamHead + role + words(piece));
    const timer = setInterval(() => socket.write(": nothing yet\n\n"), 50);
    socket.on("close", () => clearInterval(timer));
  });
  const client = callStream(relay);
  await eventually(() => client.text().includes("Hello"));
  client.leave();
  await disconnected(relay, 1);
  await staysTrue(() => upstream.open() === 1, 400);
  relay.skipMs += drainMsMax;
  await eventually(() => upstream.open() === 0);
  await eventually(() => charges(relay).length === 1);

  expect(charges(relay)).toEqual([promptCharge + pieceCharge]);
  expect(relay.money.settled[0]?.log.interrupted).toContain("客户端断开");
  expect(relay.money.held).toBe(0);
});

for (const stream of [true, false]) {
  test(`a ${stream ? "stream" : "call"} abandoned before the first byte costs the prompt`, async () => {
    const { relay, upstream } = await open({}, () => {});
    const client = callStream(relay, { stream });
    await eventually(() => upstream.requests.length === 1);
    client.leave();
    await disconnected(relay, 1);
    relay.skipMs += drainMsMax;
    await eventually(() => relay.relay.open() === 0);

    await eventually(() => upstream.open() === 0);
    expect(charges(relay)).toEqual([promptCharge]);
    expect(relay.failures).toEqual([]);
  });

  test(`a ${stream ? "stream" : "call"} whose upstream fails after the disconnect is free`, async () => {
    let answering: Socket | undefined;
    const { relay, upstream } = await open({}, (socket) => {
      answering = socket;
    });
    const client = callStream(relay, { stream });
    await eventually(() => upstream.requests.length === 1);
    client.leave();
    await disconnected(relay, 1);
    answering?.destroy();
    await eventually(() => relay.relay.open() === 0);

    expect(relay.money).toMatchObject({ settled: [], released: 1, held: 0 });
    expect(upstream.requests).toHaveLength(1);
  });
}

test("only a limited number of answers is read on after disconnects; further ones are cut off at once", async () => {
  const { relay, upstream } = await open({}, (socket) => {
    socket.write(streamHead + role + words(piece));
  });
  const clients = Array.from({ length: drainsMax + 10 }, () => callStream(relay));
  await eventually(() => clients.every((client) => client.text().includes("Hello")));
  for (const client of clients) client.leave();
  await disconnected(relay, clients.length);
  await eventually(() => charges(relay).length === 10 && upstream.open() === drainsMax);
  await staysTrue(() => charges(relay).length === 10 && upstream.open() === drainsMax, 300);

  relay.skipMs += drainMsMax;
  await eventually(() => charges(relay).length === drainsMax + 10 && upstream.open() === 0);
  expect(new Set(charges(relay))).toEqual(new Set([promptCharge + pieceCharge]));
});

test("P-K1: a client that reads nothing for a minute loses its stream and pays for the output so far", async () => {
  const { relay, upstream } = await open({}, (socket) => {
    socket.write(streamHead + role);
    const text = words("x".repeat(60_000));
    const pour = (): void => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on("drain", pour);
    pour();
  });
  const client = callStream(relay);
  await eventually(() => client.text().length > 100);
  client.pause();
  const { money } = relay;
  await untilStill(() => money.extended);
  relay.skipMs += 57_000;
  await staysTrue(() => relay.counts.disconnects === 0, 400);
  relay.skipMs += 3_000;
  await eventually(() => relay.counts.disconnects === 1);
  relay.skipMs += drainMsMax;
  await eventually(() => relay.relay.open() === 0 && upstream.open() === 0, 30_000);

  expect(charges(relay)).toHaveLength(1);
  expect(relay.money.held).toBe(0);
  client.resume();
  await eventually(() => client.end() === "broken", 30_000);
});

test("P-O1: streams run on during shutdown, and those that do not end are billed", async () => {
  // The upstream's time limits are longer than the time that a shutdown gives to calls, so that the
  // shutdown ends the stream.
  const limits = { ...testChannel({ baseUrl: "" }).limits, betweenChunksMs: 1e9, totalMs: 1e9 };
  let endShort = (): void => {};
  const { relay } = await open(
    {},
    (socket, request) => {
      socket.write(streamHead + role + words(piece));
      if (request.includes("short")) endShort = () => socket.end(finish + usageEvent + done);
    },
    { limits },
  );
  const short = callStream(relay, { messages: [{ role: "user", content: "short" }] });
  const long = callStream(relay);
  await eventually(() => short.text().includes("Hello") && long.text().includes("Hello"));
  let drained = false;
  const draining = relay.relay.drain().then(() => {
    drained = true;
  });
  endShort();
  await eventually(() => short.end() === "whole");
  expect([short.text().includes("[DONE]"), drained, long.end()]).toEqual([true, false, undefined]);

  relay.skipMs += drainCallsMs;
  await draining;
  await eventually(() => long.end() !== undefined);
  expect(long.text()).toContain('"code":"shutting_down"');
  expect(long.text()).not.toContain("[DONE]");
  expect(charges(relay)).toEqual([wholeCharge, promptCharge + pieceCharge]);
  expect(relay.relay.open()).toBe(0);
});

test("once the server stops, new calls are refused, and what it still does is waited for", async () => {
  const { relay, upstream } = await open({}, (socket) => socket.end());
  relay.relay.stopTaking("calls");
  const client = callStream(relay);
  await eventually(() => client.end() !== undefined);
  expect(client.text()).toContain('"code":"shutting_down"');
  expect([upstream.open(), relay.money.held]).toEqual([0, 0]);

  let requests = 1;
  let drained = false;
  const draining = relay.relay.drain(() => requests).then(() => (drained = true));
  await staysTrue(() => !drained, 200);
  requests = 0;
  await draining;
  // A client that never reads its answer does not keep the process from ending.
  requests = 1;
  const late = relay.relay.drain(() => requests);
  relay.skipMs += 2 * drainCallsMs;
  await late;
});

// When an upstream ignores the requested output limit, the hold ends the stream.
for (const asks of [false, true]) {
  test(`a stream ends when the balance is used up, ${asks ? "asked of the database" : "at once"}`, async () => {
    const balance = 30_000;
    const { relay, upstream } = await open({ balance }, (socket) => {
      socket.write(streamHead + role);
      const text = words("word ".repeat(20));
      const timer = setInterval(() => socket.write(text.repeat(5)), 2);
      socket.on("close", () => clearInterval(timer));
    });
    relay.money.asks = asks;
    const client = callStream(relay, { max_tokens: 50 });
    await eventually(() => client.end() !== undefined);

    expect(client.text()).toMatch(/"code":"insufficient_user_quota"[^\n]*\n\n$/);
    expect(client.text()).not.toContain("[DONE]");
    await eventually(() => upstream.open() === 0);
    expect(relay.money.extended).toBeGreaterThan(0);
    expect(relay.money.held).toBe(0);
    expect(relay.money.balance).toBeGreaterThanOrEqual(0);
    // The output is billed: it costs most of the balance, and never more than all of it.
    expect(charges(relay)[0]).toBeGreaterThan(balance * 0.6);
    expect(charges(relay)[0]).toBeLessThanOrEqual(balance);
  });
}

// The tokenizer's thread takes a few hundred milliseconds to start, in which the client would see
// nothing.
test("the tokenizer starts when the balance runs low, before the stream has to wait for a count", async () => {
  let warmedAt: number | undefined;
  let written = 0;
  const { relay } = await open(
    { balance: 30_000, warmTokenizer: () => void (warmedAt ??= written) },
    (socket) => {
      socket.write(streamHead + role);
      const timer = setInterval(() => socket.write(words("word ".repeat(100))), 2);
      socket.on("close", () => clearInterval(timer));
    },
  );
  const client = callStream(relay, { max_tokens: 50 });
  await eventually(() => {
    written = client.text().length;
    return client.end() !== undefined;
  });

  expect(warmedAt).toBeLessThan(client.text().length);
});

test("a stream never costs more than the limit per call", async () => {
  const { relay } = await open({ options: { quotaPerCallMax: 5_000 } }, (socket) => {
    socket.write(streamHead + role);
    const timer = setInterval(() => socket.write(words("word ".repeat(50))), 2);
    socket.on("close", () => clearInterval(timer));
  });
  const client = callStream(relay, { max_tokens: 50 });
  await eventually(() => client.end() !== undefined);

  expect(client.text()).toContain("quota_per_call_exceeded");
  expect(charges(relay)[0]).toBeLessThanOrEqual(5_000);
});

test("an answer within the client's output limit is not cut by the estimate, which leans upward", async () => {
  const text = words("strawberry indistinguishable ".repeat(3));
  const { relay } = await open({}, (socket) =>
    socket.end(
      streamHead +
        role +
        text +
        finish +
        event({ choices: [], usage: { prompt_tokens: 8, completion_tokens: 12 } }) +
        done,
    ),
  );
  const client = callStream(relay, { max_tokens: 12 });
  await eventually(() => client.end() !== undefined);

  expect(client.text()).toEndWith(done);
  expect(charges(relay)).toEqual([8 * 2 + 12 * 8]);
});

test("after a disconnect nothing more is held, whatever the upstream still says", async () => {
  let answering: Socket | undefined;
  const { relay } = await open({ options: { outputTokensHeld: 20 } }, (socket) => {
    answering = socket;
    socket.write(streamHead + role + words("Hello"));
  });
  const client = callStream(relay);
  await eventually(() => client.text().includes("Hello"));
  client.leave();
  await disconnected(relay, 1);
  const { extended, held } = relay.money;
  answering?.write(words("word ".repeat(20_000)));
  await eventually(() => charges(relay).length === 1);

  expect(relay.money.extended).toBe(extended);
  expect(charges(relay)[0]).toBeLessThanOrEqual(held);
});
