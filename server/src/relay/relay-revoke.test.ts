import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, type TestRelay } from "./testing/relay.ts";
import {
  callStream,
  done,
  finish,
  role,
  streamHead,
  usageEvent,
  wholeCharge,
  words,
} from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** With the tests' tokenizer the prompt has 8 tokens, and `piece` 2. */
const piece = "Hello...";
const spentCharge = 8 * 2 + 2 * 8;

async function open(firstBytes: string) {
  const answering: Socket[] = [];
  const upstream = await startUpstream((socket) => {
    answering.push(socket);
    socket.write(firstBytes);
  });
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url })] });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream, answering };
}

type Change = (callers: TestRelay["callers"]) => void;

const past = 1_000;
const revocations: readonly (readonly [string, Change, string])[] = [
  ["a user that is disabled", (callers) => (callers.user = { status: 2 }), "user_disabled"],
  ["a user that is gone", (callers) => (callers.user = null), "user_disabled"],
  ["a token that is disabled", (callers) => (callers.token = { status: 2 }), "token_disabled"],
  ["a token that is deleted", (callers) => (callers.token = null), "token_disabled"],
  [
    "a token whose time is cut short",
    (callers) => (callers.token = { expiredTime: past }),
    "token_disabled",
  ],
  [
    "a token whose replaced key is ended",
    (callers) => (callers.token = { keyEndsAt: past }),
    "token_disabled",
  ],
];

describe("the running stream", () => {
  for (const [whose, change, code] of revocations) {
    test(`of ${whose} ends with an error, billed for what came`, async () => {
      const { relay, upstream } = await open(streamHead + role + words(piece));
      const client = callStream(relay);
      await eventually(() => client.text().includes(piece));
      change(relay.callers);
      relay.relay.callersChanged();
      await eventually(() => client.end() !== undefined);

      expect(client.end()).toBe("whole");
      expect(client.text()).toMatch(new RegExp(`"code":"${code}"[^\\n]*\\n\\n$`));
      expect(client.text()).not.toContain("[DONE]");
      expect(relay.money.settled.map(({ charge }) => charge)).toEqual([spentCharge]);
      expect(relay.money.settled[0]?.log.interrupted).toContain("输出中止");
      expect([relay.money.held, relay.relay.open()]).toEqual([0, 0]);
      await eventually(() => upstream.open() === 0);
    });
  }

  test("that has sent nothing yet ends with a refusal, and is free", async () => {
    const { relay, upstream } = await open("");
    const client = callStream(relay);
    await eventually(() => upstream.requests.length === 1);
    relay.callers.user = { status: 2 };
    relay.relay.callersChanged();
    await eventually(() => client.end() !== undefined);

    expect([client.status(), client.text()]).toEqual([
      403,
      expect.stringContaining('"code":"user_disabled"'),
    ]);
    expect(relay.money).toMatchObject({ settled: [], released: 1, held: 0 });
    expect(relay.failures).toHaveLength(1);
    await eventually(() => upstream.open() === 0);
  });

  test("of a client that does not read ends as well", async () => {
    const { relay, upstream, answering } = await open(streamHead + role + words(piece));
    const client = callStream(relay);
    await eventually(() => client.text().includes(piece));
    client.pause();
    const text = words("x".repeat(60_000));
    const [socket] = answering;
    const pour = (): void => {
      while (socket?.destroyed === false && socket.write(text));
    };
    socket?.on("drain", pour);
    pour();
    await eventually(() => relay.money.extended > 0);
    relay.callers.token = null;
    relay.relay.callersChanged();
    await eventually(() => relay.relay.open() === 0 && upstream.open() === 0);

    expect(relay.money.settled).toHaveLength(1);
    client.resume();
    await eventually(() => client.end() !== undefined);
    expect(client.text()).toContain('"code":"token_disabled"');
  });

  // A call is authenticated when its head arrives, and its body may take another minute, in which
  // the user may be disabled.
  test("of a user that was disabled while its call began does not begin", async () => {
    const { relay, upstream } = await open(streamHead + role + words(piece));
    const { promise: bodyAfter, resolve: sendBody } = Promise.withResolvers<void>();
    const client = callStream(relay, {}, bodyAfter);
    await eventually(() => relay.counts.requests === 1);
    relay.callers.user = { status: 2 };
    relay.relay.callersChanged();
    sendBody();
    await eventually(() => client.end() !== undefined);

    expect([client.status(), client.text()]).toEqual([
      403,
      expect.stringContaining('"code":"user_disabled"'),
    ]);
    expect(upstream.requests).toEqual([]);
    expect(relay.money).toMatchObject({ settled: [], held: 0 });
  });
});

test("what changes nothing about a caller's right leaves its streams alone", async () => {
  const { relay, answering } = await open(streamHead + role + words("Hello"));
  const clients = [callStream(relay), callStream(relay)];
  await eventually(() => clients.every((client) => client.text().includes("Hello")));
  // If a token is exhausted or expires, or a token or user is renamed or gets another group,
  // running calls continue, because their quota is held already.
  for (const status of [3, 4]) {
    relay.callers.token = { status, name: "other" };
    relay.relay.callersChanged();
  }
  relay.callers.user = { group: "vip" };
  relay.relay.callersChanged();
  for (const socket of answering) socket.end(words(" there!") + finish + usageEvent + done);
  await eventually(() => clients.every((client) => client.end() !== undefined));

  for (const client of clients) expect(client.text()).toEndWith(done);
  expect(relay.money.settled.map(({ charge }) => charge)).toEqual([wholeCharge, wholeCharge]);
});

test("a call that is not streamed is answered to its end", async () => {
  const { relay, answering } = await open("");
  const client = callStream(relay, { stream: false });
  await eventually(() => answering.length === 1);
  relay.callers.token = null;
  relay.relay.callersChanged();
  const body = JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n`;
  answering[0]?.end(`${head}content-length: ${body.length}\r\n\r\n${body}`);
  await eventually(() => client.end() !== undefined);

  expect(client.status()).toBe(200);
  expect(relay.money.settled.map(({ charge }) => charge)).toEqual([wholeCharge]);
});
