import { afterEach, expect, test } from "bun:test";
import type { ChannelView, RelayOptions } from "#ports/snapshot.ts";
import {
  type CachingUpstream,
  hitShare,
  messagesOf,
  startCachingUpstream,
} from "./testing/caching-upstream.ts";
import { openTestRelay, testChannel, testKey, type TestRelay } from "./testing/relay.ts";
import { jsonAnswer } from "#network/testing/upstream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Given = {
  readonly nodes?: number;
  readonly channels?: number;
  readonly keys?: number;
  readonly channel?: Partial<ChannelView>;
  readonly options?: Partial<RelayOptions>;
};

/** Opens nodes before one upstream with a cache for each key. */
async function open({ nodes = 1, channels = 4, keys = 5, channel, options = {} }: Given = {}) {
  const upstream = await startCachingUpstream();
  stops.push(upstream.stop);
  const views = Array.from({ length: channels }, (_, at) =>
    testChannel({
      id: at + 1,
      baseUrl: upstream.urlOf(at + 1),
      keys: Array.from({ length: keys }, (_key, count) => `sk-${at + 1}-${count}`),
      ...channel,
    }),
  );
  const relays = Array.from({ length: nodes }, () => {
    const relay = openTestRelay({ channels: views, options, stillConnections: true });
    stops.push(relay.stop);
    return relay;
  });
  return { upstream, relays, views };
}

type Asked = {
  readonly name: string;
  readonly turn: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: object;
};

async function ask(relay: TestRelay | undefined, { name, turn, headers, fields }: Asked) {
  const response = await fetch(`${relay?.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, ...headers },
    body: JSON.stringify({ model: "m", messages: messagesOf(name, turn), ...fields }),
  });
  await response.text();
  return response.status;
}

const named = (name: string) => ({ headers: { "x-session-id": `session of ${name}` } });
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `talk ${at}`);

/** Lets conversations run turn by turn, several at once; each turn goes to the next node. */
async function run(
  relays: readonly TestRelay[],
  all: readonly string[],
  turns: readonly number[],
  mark: (name: string) => Omit<Asked, "name" | "turn"> = named,
): Promise<number[]> {
  const failed: number[] = [];
  for (const turn of turns) {
    for (let from = 0; from < all.length; from += 50) {
      const some = all.slice(from, from + 50);
      const statuses = await Promise.all(
        some.map((name, at) =>
          ask(relays[(turn + at) % relays.length], { name, turn, ...mark(name) }),
        ),
      );
      failed.push(...statuses.filter((status) => status !== 200));
    }
  }
  return failed;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

function placesOf(upstream: CachingUpstream): Map<string, string[]> {
  const of = [...upstream.turns].map(
    ([name, turns]) => [name, turns.map(({ channel, key }) => `${channel} ${key}`)] as const,
  );
  return new Map(of);
}

for (const nodes of [1, 3]) {
  test(`200 conversations of 30 turns over 4 channels of 5 keys hit the caches as if each had its own, on ${nodes} node(s)`, async () => {
    const { relays, upstream } = await open({ nodes });

    expect(await run(relays, names(200), upTo(30))).toEqual([]);
    expect(hitShare(upstream.turns.values())).toBeGreaterThanOrEqual(0.97);
    const used = new Set([...placesOf(upstream).values()].map(([place]) => place));
    expect(used.size, "the keys that conversations are spread over").toBe(20);
  }, 60_000);
}

test("conversations without a mark are known by their beginning, and only their first turns are drawn", async () => {
  const { relays, upstream } = await open({ nodes: 3 });

  expect(await run(relays, names(60), upTo(30), () => ({}))).toEqual([]);
  expect(hitShare(upstream.turns.values())).toBeGreaterThanOrEqual(0.97);
  for (const places of placesOf(upstream).values()) expect(new Set(places.slice(1)).size).toBe(1);
}, 60_000);

test("each mark that clients give keeps a conversation at its place, and another user's mark is another", async () => {
  const { relays, upstream } = await open();
  const [relay] = relays;
  const marks: readonly ((name: string) => Omit<Asked, "name" | "turn">)[] = [
    (name) => ({ headers: { "x-session-affinity": name } }),
    (name) => ({ headers: { session_id: name } }),
    (name) => ({ fields: { session_id: name } }),
    (name) => ({ fields: { prompt_cache_key: name } }),
    (name) => ({ fields: { metadata: { user_id: `user_1_account__session_${name}` } } }),
    (name) => ({
      fields: { metadata: { user_id: JSON.stringify({ device_id: "d", session_id: name }) } },
    }),
  ];
  for (const [at, mark] of marks.entries()) {
    // The beginning changes with each turn, so that only the mark can keep the place.
    for (const turn of upTo(8)) {
      const body = mark(`mark ${at}`);
      const asked = { name: `${at} ${turn}`, turn, ...body };
      expect(await ask(relay, asked)).toBe(200);
    }
  }
  const places = placesOf(upstream);
  for (const at of marks.keys()) {
    expect(new Set(upTo(8).map((turn) => places.get(`${at} ${turn}`)?.[0])).size).toBe(1);
  }
  const rows = relay?.money.settled.map(({ log }) => log.conversation_id) ?? [];
  expect(new Set(rows).size, "conversations").toBe(marks.length);
  if (relay === undefined) return;
  relay.callers.user = { id: 8 };
  expect(await ask(relay, { name: "another", turn: 2, fields: { session_id: "mark 2" } })).toBe(
    200,
  );
  expect(rows).not.toContain(relay.money.settled.at(-1)?.log.conversation_id);
});

test("a row says which conversation it is of, and how that was placed", async () => {
  const { relays } = await open();
  const [relay] = relays;
  const rows = () =>
    relay?.money.settled.map(({ log }) => [log.conversation_id, log.placement] as const) ?? [];
  for (const turn of upTo(3)) await ask(relay, { name: "one", turn, ...named("one") });
  await ask(relay, { name: "two", turn: 1 });
  const [first] = rows();

  expect(rows().map(([, placement]) => placement)).toEqual(["first", "stayed", "stayed", "first"]);
  expect(first?.[0]).toBeGreaterThan(0);
  expect(
    rows()
      .slice(0, 3)
      .map(([id]) => id),
  ).toEqual([first?.[0], first?.[0], first?.[0]]);
  expect(rows()[3]?.[0]).not.toBe(first?.[0]);
});

const broken = jsonAnswer('{"error":{"message":"broken"}}', "500 Broken");

test("while a channel is down, its conversations alone move, all are answered, and they are back in time", async () => {
  const { relays, upstream } = await open({ keys: 2 });
  const [relay] = relays;
  const all = names(80);
  const pass = (ms: number): void => {
    upstream.nowMs += ms;
    if (relay) relay.skipMs += ms;
  };
  expect(await run(relays, all, upTo(3))).toEqual([]);
  upstream.fail = (channel) => (channel === 2 ? broken : null);
  const ofTwo = all.filter((name) => placesOf(upstream).get(name)?.[0]?.startsWith("2 "));
  expect(ofTwo.length).toBeGreaterThan(5);
  for (const turn of [4, 5, 6]) {
    for (const name of all) {
      pass(300);
      expect(await ask(relay, { name, turn, ...named(name) })).toBe(200);
    }
  }
  for (const [name, places] of placesOf(upstream)) {
    const moved = new Set(places).size > 1;
    expect(moved, `${name} has moved`).toBe(ofTwo.includes(name));
    // They move together with their cache: to one place, not to another for each turn.
    if (moved) expect(new Set(places.slice(3)).size).toBe(1);
  }
  upstream.fail = null;
  pass(40_000);
  expect(await run(relays, all, [7, 8])).toEqual([]);
  for (const [name, places] of placesOf(upstream)) expect(places[7], name).toBe(places[0]);
}, 60_000);

test("a conversation that was away longer than a cache lives stays where it is until it rests", async () => {
  const { relays, upstream } = await open({ keys: 1, channels: 2 });
  const [relay] = relays;
  const pass = (minutes: number): void => {
    upstream.nowMs += minutes * 60_000;
    if (relay) relay.skipMs += minutes * 60_000;
  };
  const talk = async (turn: number) => await ask(relay, { name: "a", turn, ...named("a") });
  const words = () => relay?.money.settled.map(({ log }) => log.placement?.split(" ")[0]) ?? [];
  await talk(1);
  const [[home = ""] = []] = placesOf(upstream).values();
  upstream.fail = (channel) => (home.startsWith(`${channel} `) ? broken : null);
  for (const turn of [2, 3, 4]) {
    await talk(turn);
    pass(3);
  }
  upstream.fail = null;
  await talk(5);
  pass(4);
  await talk(6);
  pass(6);
  await talk(7);

  const [places = []] = placesOf(upstream).values();
  expect(places.map((place) => place === home)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
    true,
  ]);
  expect(words()).toEqual(["first", "moved", "moved", "away", "away", "away", "back"]);
});

test("without a price for cached tokens, or where somebody has turned it off, calls are spread as before", async () => {
  for (const [model, options, channel] of [
    ["other", {}, {}],
    ["m", { placesByModel: { m: "off" } }, {}],
    ["m", { placesByGroup: { default: "off" } }, {}],
    ["m", {}, { places: "off" }],
  ] as const) {
    const models = new Set(["m", "other"]);
    const { relays, upstream } = await open({ options, channel: { models, ...channel } });
    await run(relays, ["a"], upTo(20), (name) => ({ ...named(name), fields: { model } }));
    const [places = []] = placesOf(upstream).values();
    expect(new Set(places).size, JSON.stringify([model, options, channel])).toBeGreaterThan(3);
    expect(relays[0]?.money.settled[1]?.log.placement).toBe("");
  }
}, 30_000);

test("where a model, a group or a channel says so, conversations stay also without that price", async () => {
  for (const [options, channel] of [
    [{ placesByModel: { other: "on" }, placesByGroup: { default: "off" } }, {}],
    [{ placesByGroup: { default: "on" } }, {}],
    [{}, { places: "on" }],
  ] as const) {
    const models = new Set(["other"]);
    const { relays, upstream } = await open({ options, channel: { models, ...channel } });
    await run(relays, ["a"], upTo(12), (name) => ({ ...named(name), fields: { model: "other" } }));
    const [places = []] = placesOf(upstream).values();
    expect(new Set(places).size).toBe(1);
  }
}, 30_000);

test("a row says what its turn cost more because the conversation had moved, and others nothing", async () => {
  const { relays, upstream } = await open({ keys: 1, channels: 2 });
  const [relay] = relays;
  const talk = async (turn: number) => await ask(relay, { name: "a", turn, ...named("a") });
  const lost = () => relay?.money.settled.map(({ log }) => log.moved_quota ?? 0) ?? [];
  await talk(20);
  const [[home = ""] = []] = placesOf(upstream).values();
  upstream.fail = (channel) => (home.startsWith(`${channel} `) ? broken : null);
  await talk(21);
  await talk(22);

  const { usage } = relay?.money.settled[1]?.log ?? {};
  expect(usage?.cacheRead).toBe(0);
  const [stayed, moved = 0, away] = lost();
  expect([stayed, away]).toEqual([0, 0]);
  // 39 of its 41 messages had been sent before: each has 100 tokens, and a cached one costs less.
  const most = 39 * 100 * (2 - 1);
  expect(moved).toBeGreaterThan(most * 0.8);
  expect(moved).toBeLessThan(most * 1.05);
}, 30_000);
