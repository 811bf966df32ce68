import type { Socket } from "node:net";
import { afterEach, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import type { ChannelView, RelayOptions } from "#ports/snapshot.ts";
import {
  openTestRelay,
  testChannel,
  testKey,
  type TestRelay,
  type TestRelayOptions,
  testToken,
  testUser,
} from "#relay/testing/relay.ts";
import { callStream, disconnected, streamHead, wholeStream } from "#relay/testing/stream.ts";
import { drainMsMax } from "#relay/call/client-disconnect.ts";
import { CallRefusal } from "#relay/call/call-refusal.ts";
import { enter, idsKeptMax, leave, openCallsAtOnce } from "./calls-at-once.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Opens a relay whose upstream answers a call only when the test tells it to. */
async function open(
  callsAtOnce: RelayOptions["callsAtOnce"],
  more: Omit<TestRelayOptions, "channels" | "options"> = {},
  channel: Partial<ChannelView> = {},
) {
  const waiting: Socket[] = [];
  const upstream = await startUpstream((socket) => void waiting.push(socket));
  const channels = [testChannel({ ...channel, baseUrl: upstream.url })];
  const relay = openTestRelay({
    channels,
    options: { callsAtOnce, retryTimes: 0 },
    ...more,
  });
  stops.push(upstream.stop, relay.stop);
  return { relay, waiting };
}

const chat = { model: "m", messages: [{ role: "user", content: "hi" }] };
const whole = jsonAnswer(
  JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Hello!" } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
);

async function post({ url }: TestRelay, body: object = chat) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

for (const [whose, limit, said] of [
  [
    "user",
    { perUser: 1, perToken: 0 },
    ["您同时进行的调用最多 1 个", "this user may have at most 1"],
  ],
  [
    "token",
    { perUser: 0, perToken: 1 },
    ["该令牌同时进行的调用最多 1 个", "this API key may have"],
  ],
] as const) {
  test(`a ${whose}'s calls at once are limited, and refused in the client's format`, async () => {
    const { relay, waiting } = await open(limit);
    const first = post(relay);
    await eventually(() => waiting.length === 1);
    const refused = await post(relay);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    const { error } = JSON.parse(refused.text);
    expect(error).toMatchObject({ type: "new_api_error", code: "rate_limit_exceeded" });
    for (const words of said) expect(error.message).toContain(words);
    waiting[0]?.end(whole);
    expect((await first).status).toBe(200);

    const next = post(relay);
    await eventually(() => waiting.length === 2);
    waiting[1]?.end(whole);
    expect((await next).status).toBe(200);
  });
}

test("a call counts until it ends: by success, error, refusal or disconnect, whole or streamed", async () => {
  const { relay, waiting } = await open({ perUser: 1, perToken: 1 }, { balance: 100_000 });
  const isFree = async () => {
    const at = waiting.length;
    const next = post(relay);
    await eventually(() => waiting.length === at + 1);
    expect((await post(relay)).status).toBe(429);
    waiting[at]?.end(whole);
    expect((await next).status).toBe(200);
  };
  await isFree();
  // Calls that end before they reach an upstream: an unreadable body, and a cost above the balance.
  expect((await post(relay, {})).status).toBe(400);
  await isFree();
  expect((await post(relay, { ...chat, max_tokens: 1_000_000 })).status).toBe(403);
  await isFree();
  const failing = post(relay);
  await eventually(() => waiting.length === 4);
  waiting[3]?.destroy();
  expect((await failing).status).toBe(502);
  await isFree();
  const streaming = callStream(relay);
  await eventually(() => waiting.length === 6);
  waiting[5]?.end(streamHead + wholeStream);
  await eventually(() => streaming.end() === "whole");
  await isFree();
  for (const [count, stream] of [true, false].entries()) {
    const client = callStream(relay, { stream });
    const at = waiting.length;
    await eventually(() => waiting.length === at + 1);
    client.leave();
    await disconnected(relay, count + 1);
    relay.skipMs += drainMsMax;
    await eventually(() => relay.relay.open() === 0);
    await isFree();
  }
});

test("a call that a bug ends leaves its place", async () => {
  let broken = true;
  const modelMapping = new Map<string, string>();
  modelMapping.get = () => {
    if (broken) throw new Error("a bug");
    return undefined;
  };
  const { relay, waiting } = await open({ perUser: 1, perToken: 1 }, {}, { modelMapping });
  expect((await post(relay)).status).toBe(500);
  const client = callStream(relay);
  await eventually(() => client.status() === 500);
  broken = false;
  const next = post(relay);
  await eventually(() => waiting.length === 1);
  waiting[0]?.end(whole);
  expect((await next).status).toBe(200);
});

test("a limit that is set while calls run counts those, too; idle users are forgotten", () => {
  const atOnce = openCallsAtOnce({ nodeShare: (limit) => limit, places: null });
  const by = (id: number) => ({
    user: { ...testUser, id },
    token: { ...testToken, id: 0 },
    pinnedChannelId: null,
  });
  const off = { perUser: 0, perToken: 1 };
  void enter(atOnce, by(1), off);
  void enter(atOnce, by(1), off);
  expect(() => enter(atOnce, by(1), { perUser: 2, perToken: 0 })).toThrow(CallRefusal);
  leave(atOnce, by(1));
  void enter(atOnce, by(1), { perUser: 2, perToken: 0 });
  for (let id = 2; id <= idsKeptMax * 2; id += 1) {
    void enter(atOnce, by(id), off);
    leave(atOnce, by(id));
  }
  expect(atOnce.byUser.size).toBeLessThanOrEqual(idsKeptMax + 1);
  expect(atOnce.byUser.get(1)).toBe(2);
});
