import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "#base/testing/waiting.ts";
import type { RunningFilter } from "#canonical/running-filter.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, testKey, type TestRelay } from "./testing/relay.ts";
import { callStream, role, streamHead, words } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** With the tests' tokenizer the prompt has 8 tokens, and `piece` 2. */
const piece = "Hello...";
const spentCharge = 8 * 2 + 2 * 8;
const promptCharge = 8 * 2;

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

/** The user of the tests' calls has the id 7 and the role 1. */
const root: RunningFilter = { belowRole: 101, ownId: 1 };
const byRoot = { userId: 1, username: "root", reason: "loops" };
const byOwner = { userId: 7, username: "ada", reason: "" };

const running = ({ relay }: TestRelay, filter: RunningFilter = root) =>
  relay.running.list(filter, 10);

describe("a running call", () => {
  test("is listed with who makes it, where it goes and why, and what has come", async () => {
    const { relay } = await open(streamHead + role + words(piece));
    expect(running(relay)).toEqual({ calls: [], total: 0 });
    const client = callStream(relay);
    await eventually(() => client.text().includes(piece));

    const [call] = running(relay).calls;
    expect(call).toMatchObject({
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
      channelName: "channel",
      reason: "only",
      attempts: 1,
      outputTokens: 2,
      clientGone: false,
      isStopping: false,
    });
    expect(call?.firstByteMs).toBeNumber();
    expect(call?.cost).toBeGreaterThanOrEqual(2 * 8);
    expect(call?.held).toBe(relay.money.held);
    client.leave();
  });

  test("is seen by its user, and by whoever is above that user", async () => {
    const { relay } = await open(streamHead + role + words(piece));
    const client = callStream(relay);
    await eventually(() => client.text().includes(piece));

    const seen = (filter: RunningFilter): number => running(relay, filter).total;
    expect(seen({ belowRole: 0, ownId: 7 })).toBe(1);
    expect(seen({ belowRole: 0, ownId: 8 })).toBe(0);
    expect(seen({ belowRole: 10, ownId: 8 })).toBe(1);
    relay.callers.user = { role: 10 };
    expect(seen({ belowRole: 10, ownId: 8 })).toBe(0);
    expect(seen({ ...root, tokenLike: "top", userLike: "ad", modelLike: "m" })).toBe(1);
    expect(seen({ ...root, channelId: 2 })).toBe(0);
    expect(seen({ ...root, minMs: 60_000 })).toBe(0);
    relay.skipMs += 60_000;
    expect(seen({ ...root, minMs: 60_000 })).toBe(1);
    client.leave();
  });

  test("beyond the most that are listed is counted", async () => {
    const { relay } = await open(streamHead + role + words(piece));
    const clients = [callStream(relay), callStream(relay), callStream(relay)];
    await eventually(() => clients.every((client) => client.text().includes(piece)));
    const page = relay.relay.running.list(root, 2);
    expect([page.calls.length, page.total]).toEqual([2, 3]);
    for (const client of clients) client.leave();
  });
});

describe("a call that is stopped by hand", () => {
  test("gets an error in place of its end, is billed for what came, and its row says who and why", async () => {
    const { relay, upstream } = await open(streamHead + role + words(piece));
    const client = callStream(relay);
    const other = callStream(relay);
    await eventually(() => [client, other].every((each) => each.text().includes(piece)));
    const [first] = running(relay).calls;
    const stopped = relay.relay.running.stop({ ...root, requestIds: [first?.id ?? ""] }, byRoot);
    await eventually(() => [client, other].some((each) => each.end() !== undefined));

    const [ended, going] = client.end() === undefined ? [other, client] : [client, other];
    expect(stopped).toBe(1);
    expect(ended.end()).toBe("whole");
    expect(ended.text()).toMatch(/"code":"call_stopped"[^\n]*\n\n$/);
    expect(ended.text()).not.toContain("[DONE]");
    expect(relay.money.settled.map(({ charge }) => charge)).toEqual([spentCharge]);
    expect(relay.money.settled[0]?.log.interrupted).toBe("已由 root 停止：loops");
    expect(going.end()).toBeUndefined();
    expect(running(relay).total).toBe(1);
    await eventually(() => upstream.open() === 1);

    expect(relay.relay.running.stop({ ...root, userId: 7 }, byRoot)).toBe(1);
    await eventually(() => going.end() !== undefined && relay.money.held === 0);
    expect(relay.relay.running.stop({ ...root, userId: 7 }, byRoot)).toBe(0);
  });

  test("before anything came is free when an administrator stops it", async () => {
    const { relay, upstream } = await open("");
    const client = callStream(relay);
    await eventually(() => upstream.requests.length === 1);
    relay.relay.running.stop(root, byRoot);
    await eventually(() => client.end() !== undefined);

    expect([client.status(), client.text()]).toEqual([
      403,
      expect.stringContaining('"code":"call_stopped"'),
    ]);
    expect(relay.money).toMatchObject({ settled: [], released: 1, held: 0 });
    expect(relay.failures[0]?.error.code).toBe("call_stopped");
    expect(relay.failures[0]?.fault).toBe("已由 root 停止：loops");
    await eventually(() => upstream.open() === 0);
  });

  // Otherwise long prompts would cost the operator, and not the user who stops each call in time.
  test("before anything came costs its prompt when its own user stops it", async () => {
    const { relay, upstream } = await open("");
    const client = callStream(relay);
    await eventually(() => upstream.requests.length === 1);
    relay.relay.running.stop({ belowRole: 0, ownId: 7 }, byOwner);
    await eventually(() => client.end() !== undefined);

    expect(client.text()).toContain('"code":"call_stopped"');
    expect(relay.money.settled.map(({ charge }) => charge)).toEqual([promptCharge]);
    expect(relay.money.settled[0]?.log.interrupted).toBe("已由 ada 停止");
    expect(relay.money.held).toBe(0);
  });

  test("ends also when it is not streamed", async () => {
    const { relay, upstream } = await open("");
    const answer = fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
    });
    await eventually(() => upstream.requests.length === 1);
    relay.relay.running.stop({ ...root, model: "m" }, byRoot);
    const { status } = await answer;

    expect(status).toBe(403);
    expect(await (await answer).text()).toContain("call_stopped");
    expect(relay.money).toMatchObject({ settled: [], held: 0 });
    await eventually(() => upstream.open() === 0);
  });

  test("is not stopped by a user who may not see it", async () => {
    const { relay } = await open(streamHead + role + words(piece));
    const client = callStream(relay);
    await eventually(() => client.text().includes(piece));
    expect(relay.relay.running.stop({ belowRole: 0, ownId: 8, userId: 7 }, byOwner)).toBe(0);
    expect(running(relay).calls[0]?.isStopping).toBeFalse();
    client.leave();
  });
});
