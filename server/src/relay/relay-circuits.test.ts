import { afterEach, expect, test } from "bun:test";
import { jsonAnswer } from "#network/testing/upstream.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { messagesOf, startCachingUpstream } from "./testing/caching-upstream.ts";
import { openTestRelay, testChannel, testKey } from "./testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function open(channels: number, keys: number, channel: Partial<ChannelView> = {}) {
  const upstream = await startCachingUpstream();
  const views = Array.from({ length: channels }, (_, at) =>
    testChannel({
      id: at + 1,
      baseUrl: upstream.urlOf(at + 1),
      keys: Array.from({ length: keys }, (_key, count) => `sk-${at + 1}-${count}`),
      models: new Set(["m", "other"]),
      ...channel,
    }),
  );
  const relay = openTestRelay({ channels: views, stillConnections: true });
  stops.push(upstream.stop, relay.stop);
  const pass = (ms: number): void => {
    relay.skipMs += ms;
    upstream.nowMs += ms;
  };
  const ask = async (name: string, model = "m", session = name): Promise<number> => {
    const response = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "x-session-id": session },
      body: JSON.stringify({ model, messages: messagesOf(name, 2) }),
    });
    await response.text();
    return response.status;
  };
  return { upstream, relay, ask, pass };
}

/** Counts what an upstream is asked, by what `fail` is given. */
function counter() {
  const counts = new Map<string, number>();
  return {
    counts,
    add: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    take: (name: string) => {
      const count = counts.get(name) ?? 0;
      counts.delete(name);
      return count;
    },
  };
}

const broken = jsonAnswer('{"error":{"message":"broken"}}', "500 Broken");
const busy = (head = "") =>
  jsonAnswer('{"error":{"message":"slow down"}}', "429 Busy").replace("\r\n", `\r\n${head}`);
const revoked = jsonAnswer('{"error":{"message":"no such key"}}', "401 Unauthorized");

test("one model of a channel is broken: its other models stay, and it comes back by itself", async () => {
  const { upstream, relay, ask, pass } = await open(2, 1);
  const asked = counter();
  let isBroken = true;
  upstream.fail = (channel, _key, model) => {
    asked.add(`${channel} ${model}`);
    return channel === 1 && model === "m" && isBroken ? broken : null;
  };
  for (let at = 0; at < 60; at += 1) {
    expect(await ask(`a ${at}`)).toBe(200);
    expect(await ask(`b ${at}`, "other")).toBe(200);
    pass(200);
  }
  const rows = relay.money.settled.map(({ log }) => log.candidates);
  expect(rows[0]).toBe("1,2");
  expect(rows.filter((text) => text === "1:ejected,2").length).toBeGreaterThan(20);
  expect(asked.take("1 m"), "before the model is left out, and its probe").toBeLessThan(12);
  expect(asked.take("1 other")).toBeGreaterThan(10);
  expect(relay.relay.ejected()).toBe(1);
  isBroken = false;
  pass(120_000);
  for (let at = 0; at < 30; at += 1) expect(await ask(`c ${at}`)).toBe(200);
  expect(asked.take("1 m")).toBeGreaterThan(5);
  expect(relay.relay.ejected()).toBe(0);
});

test("one key of five is revoked: it is asked once, the others go on, and conversations of theirs stay", async () => {
  const { upstream, relay, ask } = await open(1, 5, { autoBan: false });
  const asked = counter();
  const keysOf = new Map<string, Set<string>>();
  let isRevoked = false;
  upstream.fail = (_channel, key) => {
    asked.add(key);
    return isRevoked && key === "sk-1-2" ? revoked : null;
  };
  const all = Array.from({ length: 60 }, (_, at) => `talk ${at}`);
  for (const name of all) expect(await ask(name)).toBe(200);
  asked.take("sk-1-2");
  isRevoked = true;
  for (const name of [...all, ...all]) expect(await ask(name)).toBe(200);

  expect(asked.take("sk-1-2")).toBe(1);
  for (const [name, turns] of upstream.turns) {
    keysOf.set(name, new Set(turns.map(({ key }) => key)));
  }
  for (const [name, keys] of keysOf) {
    expect(keys.size, name).toBe(keys.has("sk-1-2") ? 2 : 1);
  }
  expect(relay.relay.ejected()).toBe(1);
});

test("a key that is told to wait is left alone until then, the others are not, and it comes back", async () => {
  const { upstream, ask, pass } = await open(1, 3);
  const asked = counter();
  let isBusy = true;
  upstream.fail = (_channel, key) => {
    asked.add(key);
    return isBusy && key === "sk-1-1" ? busy("retry-after: 20\r\n") : null;
  };
  const round = async () => {
    for (let at = 0; at < 40; at += 1) expect(await ask(`talk ${at}`)).toBe(200);
  };
  await round();
  expect(asked.take("sk-1-1")).toBe(1);
  isBusy = false;
  pass(19_000);
  await round();
  expect(asked.take("sk-1-1")).toBe(0);
  pass(1_001);
  await round();
  expect(asked.take("sk-1-1")).toBeGreaterThan(5);
});

test("429 without a word on how long: the key is left out when it keeps saying so", async () => {
  const { upstream, ask, pass } = await open(1, 3);
  const asked = counter();
  upstream.fail = (_channel, key) => {
    asked.add(key);
    return key === "sk-1-1" ? busy() : null;
  };
  for (let at = 0; at < 60; at += 1) {
    expect(await ask(`talk ${at}`)).toBe(200);
    pass(400);
  }
  expect(asked.take("sk-1-1")).toBe(5);
  expect(asked.take("sk-1-0")).toBeGreaterThan(10);
});

test("what the upstream says is left of a key's limits is not exceeded until they are reset", async () => {
  for (const [field, reset] of [
    ["x-ratelimit-remaining-requests", "x-ratelimit-reset-requests: 1m0s"],
    ["anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset: 60"],
  ] as const) {
    const { upstream, ask, pass } = await open(1, 2);
    const asked = counter();
    const good = jsonAnswer(
      '{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}',
    );
    upstream.fail = (_channel, key) => {
      asked.add(key);
      return key === "sk-1-0" ? good.replace("\r\n", `\r\n${field}: 0\r\n${reset}\r\n`) : null;
    };
    const round = async () => {
      for (let at = 0; at < 20; at += 1) expect(await ask(`talk ${at}`)).toBe(200);
    };
    await round();
    expect(asked.take("sk-1-0"), field).toBe(1);
    pass(61_000);
    await round();
    expect(asked.take("sk-1-0"), field).toBe(1);
  }
});

test("one conversation of 100 calls at once is refused nowhere while another key has room, and its rows say why it moved", async () => {
  const { upstream, relay, ask } = await open(4, 5, {
    keyLimits: { calls: 10, requests: 0, tokens: 0 },
  });
  let most = 0;
  const running = new Map<string, number>();
  upstream.fail = (_channel, key) => {
    const count = (running.get(key) ?? 0) + 1;
    running.set(key, count);
    most = Math.max(most, count);
    return null;
  };
  upstream.delayMs = 150;
  upstream.onAnswer = (key) => void running.set(key, (running.get(key) ?? 1) - 1);
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => await ask(`call ${at}`, "m", "hot")),
  );

  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(most).toBe(10);
  const words = relay.money.settled.map(({ log }) => log.placement);
  expect(words.filter((word) => word === "stayed").length).toBe(10);
  expect(words.filter((word) => word === "overflow" || word === "away").length).toBe(90);
});

test("a key takes as many requests and tokens in a minute as somebody has typed", async () => {
  for (const [keyLimits, most] of [
    [{ calls: 0, requests: 6, tokens: 0 }, 6],
    [{ calls: 0, requests: 0, tokens: 1_000 }, 4],
  ] as const) {
    const { upstream, ask, pass } = await open(1, 3, { keyLimits });
    const asked = counter();
    upstream.fail = (_channel, key) => {
      asked.add(key);
      return null;
    };
    for (let at = 0; at < most + 4; at += 1) expect(await ask(`talk ${at}`, "m", "one")).toBe(200);
    const first = Math.max(...asked.counts.values());
    expect(first).toBe(most);
    expect(asked.counts.size).toBe(2);
    pass(120_000);
    asked.counts.clear();
    expect(await ask("later", "m", "two")).toBe(200);
  }
});
