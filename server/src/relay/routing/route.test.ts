import { expect, test } from "bun:test";
import { ejectionMs } from "./circuit.ts";
import { openHealth } from "./health.ts";
import { chooseChannel, openKeyRotation, standingOf } from "./route.ts";
import type { ChannelView, Tier } from "#ports/snapshot.ts";
import { testChannel } from "#relay/testing/relay.ts";

function channel(id: number, given: Partial<ChannelView> = {}): ChannelView {
  return testChannel({ id, baseUrl: "https://example.com", ...given });
}

function setup(...groups: readonly (readonly ChannelView[])[]) {
  let nowMs = 0;
  const health = openHealth(() => nowMs);
  const tiers: Tier[] = groups.map((channels, index) => ({ priority: -index, channels }));
  const choose = (tried: readonly ChannelView[] = [], random = 0) =>
    chooseChannel({ tiers, tried, health, random: () => random })?.id;
  return {
    health,
    choose,
    /** Where each channel stands, with the share of the first attempts that it gets. */
    standings: () =>
      Object.fromEntries(
        groups.flat().map((one) => [one.id, standingOf(tiers, one, health)] as const),
      ),
    pass(ms: number) {
      nowMs += ms;
    },
    /** Returns how often each channel is chosen for a thousand evenly spread random numbers. */
    spread(): Record<number, number> {
      const counts: Record<number, number> = {};
      for (let at = 0; at < 1_000; at += 1) {
        const id = choose([], at / 1_000) ?? 0;
        counts[id] = (counts[id] ?? 0) + 1;
      }
      return counts;
    },
    eject(id: number) {
      for (let count = 0; count < 5; count += 1) {
        health.started(id);
        health.ended(id, { kind: "failed", retryAfterMs: null });
      }
    },
    cool(id: number, ms: number) {
      health.started(id);
      health.ended(id, { kind: "failed", retryAfterMs: ms });
    },
  };
}

test("the best priority is tried first, the next one after all of it failed", () => {
  const [a, b, c] = [channel(1), channel(2), channel(3)];
  const { choose } = setup([a, b], [c]);

  expect(choose()).toBe(1);
  expect(choose([a])).toBe(2);
  expect(choose([a, b])).toBe(3);
  expect(choose([a, b, c])).toBeUndefined();
});

test("calls are shared by weight, or equally if there are no weights", () => {
  const weighted = setup([channel(1, { weight: 1 }), channel(2, { weight: 3 }), channel(3)]);
  expect(weighted.spread()).toEqual({ 1: 250, 2: 750 });

  const equal = setup([channel(1), channel(2)]);
  expect(equal.spread()).toEqual({ 1: 500, 2: 500 });
});

test("a channel of weight 0 is tried after the others", () => {
  const heavy = channel(1, { weight: 5 });
  expect(setup([heavy, channel(2)]).choose([heavy])).toBe(2);
});

test("a channel is tried once for each of its keys, after the channels not tried yet", () => {
  const two = channel(1, { keys: ["key-one", "key-two"] });
  const other = channel(2);
  const { choose } = setup([two], [other]);

  expect(choose([two])).toBe(2);
  expect(choose([two, other])).toBe(1);
  expect(choose([two, other, two])).toBeUndefined();
});

test("channels in cooldown or ejected are skipped while others are left", () => {
  const { choose, cool, eject, spread } = setup([channel(1), channel(2)], [channel(3)]);
  cool(1, 10_000);
  expect(spread()).toEqual({ 2: 1_000 });

  eject(2);
  expect(choose()).toBe(3);
});

// If all channels were skipped, an installation with only one would stop because of one bad minute.
test("when every channel is in cooldown, the one whose cooldown ends first is tried", () => {
  const one = setup([channel(1)]);
  one.cool(1, 50_000);
  expect(one.choose()).toBe(1);

  const two = setup([channel(1)], [channel(2)]);
  two.cool(1, 50_000);
  two.cool(2, 20_000);
  expect(two.choose()).toBe(2);
});

test("at most half of a model's channels are skipped as ejected", () => {
  const { eject, spread } = setup([channel(1), channel(2), channel(3), channel(4)]);
  for (const id of [1, 2, 3, 4]) eject(id);

  expect(Object.keys(spread())).toHaveLength(2);
  const alone = setup([channel(1)]);
  alone.eject(1);
  expect(alone.choose()).toBe(1);
});

test("after its ejection a channel gets one call at a time until it has answered", () => {
  const { choose, eject, health, pass, spread } = setup([channel(1), channel(2)]);
  eject(1);
  pass(ejectionMs);
  expect(choose()).toBe(1);

  health.started(1);
  expect(spread()).toEqual({ 2: 1_000 });
  health.ended(1, { kind: "answered" });
  expect(spread()).toEqual({ 1: 500, 2: 500 });
});

test("a channel's keys take turns, call by call", () => {
  const keys = openKeyRotation();
  const three = channel(1, { keys: ["a", "b", "c"] });

  expect([1, 2, 3, 4].map(() => keys.next(three))).toEqual(["a", "b", "c", "a"]);
  expect(keys.next(channel(2, { keys: [] }))).toBe("");
});

test("what is said of a channel is what calls do: its share, or why it gets none", () => {
  const { health, standings, spread, eject, cool, pass } = setup(
    [channel(1, { weight: 1 }), channel(2, { weight: 3 }), channel(3)],
    [channel(4), channel(5)],
  );
  /** Checks the shares against a thousand calls, and returns the other standings. */
  const others = () => {
    const counts = spread();
    const said = Object.entries(standings());
    for (const [id, standing] of said) {
      const share = standing.kind === "used" ? standing.share : 0;
      expect((counts[Number(id)] ?? 0) / 1_000).toBeCloseTo(share, 2);
    }
    const rest = said.filter(([, { kind }]) => kind !== "used");
    return Object.fromEntries(rest.map(([id, { kind }]) => [id, kind]));
  };

  expect(others()).toEqual({ 3: "weightless", 4: "reserve", 5: "reserve" });
  cool(1, 5_000);
  expect(others()).toEqual({ 1: "cooldown", 3: "weightless", 4: "reserve", 5: "reserve" });
  cool(2, 8_000);
  // With the weighted channels away, the one of weight 0 is chosen.
  expect(others()).toEqual({ 1: "cooldown", 2: "cooldown", 4: "reserve", 5: "reserve" });
  eject(3);
  expect(others()).toEqual({ 1: "cooldown", 2: "cooldown", 3: "ejected" });
  cool(4, 1_000);
  cool(5, 9_000);
  // All are blocked: the one whose block ends first is tried nevertheless.
  expect(others()).toEqual({ 1: "cooldown", 2: "cooldown", 3: "ejected", 5: "cooldown" });
  pass(10_000);
  expect(others()).toEqual({ 3: "ejected", 4: "reserve", 5: "reserve" });
  pass(ejectionMs);
  health.started(3);
  expect(others()).toEqual({ 3: "probing", 4: "reserve", 5: "reserve" });
});
