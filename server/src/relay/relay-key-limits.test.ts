/** Limits of keys count realtime sessions and tasks as they count calls. */

import { afterEach, expect, test } from "bun:test";
import type { TaskCaller, TaskDesk } from "#ports/task-desk.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

test("a key has as many realtime sessions at once as its limit says, and takes the next when one ends", async () => {
  const used: string[] = [];
  const upstream = Bun.serve({
    port: 0,
    fetch(request, server) {
      used.push(request.headers.get("authorization") ?? "");
      return server.upgrade(request) ? undefined : new Response("no");
    },
    websocket: { message() {} },
  });
  const relay = openTestRelay({
    channels: [
      testChannel({
        baseUrl: `http://127.0.0.1:${upstream.port}`,
        keys: ["k1", "k2"],
        keyLimits: { calls: 1, requests: 0, tokens: 0 },
      }),
    ],
  });
  stops.push(relay.stop, () => upstream.stop(true));
  const url = `${relay.url.replace("http", "ws")}/v1/realtime?model=m`;
  const connect = async (): Promise<WebSocket> => {
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${testKey}` } });
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("close", ({ code }) => reject(code));
    });
    return socket;
  };
  const first = await connect();
  const second = await connect();
  expect(new Set(used).size).toBe(2);
  const [, ofSecond] = used;
  // By turns, the key of the first would be the next.
  const closed = new Promise((resolve) => second.addEventListener("close", resolve));
  second.close();
  await closed;
  // The upstream's end of the session is closed a moment later.
  for (let left = 100; relay.relay.standing(1).parts[0]?.kind !== "used" && left > 0; left -= 1) {
    await Bun.sleep(5);
  }
  const third = await connect();
  expect(used[2]).toBe(ofSecond ?? "");
  first.close();
  third.close();
});

test("a task is sent by a key that is not at its limit, and counts for it while it is sent", async () => {
  let run: ((caller: TaskCaller) => Promise<void>) | null = null;
  const tasks: TaskDesk = {
    find: () => ({
      platform: "openai-video",
      route: { method: "POST", path: "", read: () => ({ kind: "fetch", id: "T1" }) },
      segments: [],
      mode: "",
    }),
    async answer({ caller }) {
      if (caller !== null) await run?.(caller);
      return { status: 200, headers: {}, body: "{}" };
    },
    refuse: (_found, { status, message }) => ({ status, body: message }),
  };
  const channel = testChannel({
    baseUrl: "http://127.0.0.1:9",
    keys: ["k1", "k2", "k3"],
    models: new Set(["fixed"]),
    keyLimits: { calls: 1, requests: 0, tokens: 0 },
  });
  const relay = openTestRelay({ channels: [channel], tasks });
  stops.push(relay.stop);
  const used: string[] = [];
  run = async (caller) => {
    const send = async (meanwhile: () => Promise<void>): Promise<void> => {
      const trip = caller.terms(["fixed"], null).choose(() => true);
      if (trip === undefined) throw new Error("there is no channel");
      await trip.tryInTurn(null, async (at, _, use) => {
        const key = trip.keyFor(at);
        used.push(key);
        use(key);
        await meanwhile();
        return { fault: null, isRetryable: false, answer: null };
      });
    };
    await send(async () => {
      // By turns, the key that is still used would be the third of these.
      for (let left = 4; left > 0; left -= 1) await send(async () => {});
    });
    await send(async () => {});
  };
  const response = await fetch(`${relay.url}/v1/videos`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: "{}",
  });
  expect([response.status, relay.logged]).toEqual([200, []]);
  const [first, ...others] = used;
  expect(others.slice(0, 4)).not.toContain(first ?? "");
  expect(new Set(used).size, "all keys are used").toBe(3);
});
