import { expect, test } from "bun:test";
import type { ChannelView } from "#ports/snapshot.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { openMoved } from "./moved.ts";
import { firstInOrder, keyInOrder } from "./order.ts";

function channel(id: number, given: Partial<ChannelView> = {}): ChannelView {
  return testChannel({ id, baseUrl: "https://example.com", ...given });
}

/** Conversations as far apart, and as near to each other, as hashes and counters are. */
function conversations(seed: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => {
    const low = Bun.hash.xxHash32(`${at}`, seed);
    return ((Bun.hash.xxHash32(`${at}`, ~seed) & 0x7_ffff) * 2 ** 32 + low) * 4;
  });
}

/** The value of χ² that chance exceeds once in a thousand times, by degrees of freedom. */
const chiSquareMax = { 3: 16.27, 4: 18.47 };

test("conversations are shared by the weights of channels, and keys share those of a channel alike", () => {
  const weights = [1, 2, 3, 10];
  const channels = weights.map((weight, at) => channel(at + 1, { weight }));
  const keys = ["a", "b", "c", "d", "e"];
  const one = channel(7, { keys });
  for (let seed = 1; seed <= 20; seed += 1) {
    const all = conversations(seed, 4_000);
    const byChannel = weights.map(() => 0);
    const byKey = keys.map(() => 0);
    for (const conversation of all) {
      const at = (firstInOrder(channels, conversation)?.id ?? 0) - 1;
      byChannel[at] = (byChannel[at] ?? 0) + 1;
      const keyAt = keys.indexOf(keyInOrder(one, conversation) ?? "");
      byKey[keyAt] = (byKey[keyAt] ?? 0) + 1;
    }
    expect(chiSquare(byChannel, weights)).toBeLessThan(chiSquareMax[3]);
    expect(chiSquare(byKey, [1, 1, 1, 1, 1])).toBeLessThan(chiSquareMax[4]);
  }
});

function chiSquare(counts: readonly number[], shares: readonly number[]): number {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  const unit = sum(counts) / sum(shares);
  return sum(
    counts.map((count, at) => (count - (shares[at] ?? 0) * unit) ** 2 / ((shares[at] ?? 0) * unit)),
  );
}

test("a channel or a key that comes or goes moves its share of conversations alone", () => {
  const before = [1, 2, 3].map((id) => channel(id, { weight: id }));
  const after = [...before, channel(4, { weight: 2 })];
  const keys = channel(9, { keys: ["a", "b", "c"] });
  const more = channel(9, { keys: ["d", "c", "a", "b"] });
  for (const conversation of conversations(5, 2_000)) {
    const was = firstInOrder(before, conversation)?.id;
    const is = firstInOrder(after, conversation)?.id;
    expect(is === was || is === 4).toBe(true);
    const key = keyInOrder(keys, conversation);
    expect([key, "d"]).toContain(keyInOrder(more, conversation) ?? "");
  }
});

test("a channel of weight 0 gets conversations only beside none with a weight", () => {
  const [none, some] = [channel(1), channel(2, { weight: 1 })];
  for (const conversation of conversations(3, 100)) {
    expect(firstInOrder([none, some], conversation)).toBe(some);
    expect(firstInOrder([none], conversation)).toBe(none);
  }
});

test("each key has its turn in a conversation's order", () => {
  const one = channel(1, { keys: ["a", "b", "c"] });
  for (const conversation of conversations(2, 50)) {
    const order = [0, 1, 2].map((after) => keyInOrder(one, conversation, after));
    expect(new Set(order)).toEqual(new Set(["a", "b", "c"]));
  }
});

test("of conversations that moved only so many are remembered, and the oldest is forgotten first", () => {
  const moved = openMoved(3);
  const to = { channelId: 1, keyMark: 2, leftMs: 0, lastMs: 0, cacheMs: 1 };
  for (const conversation of [4, 8, 12, 4, 16]) moved.note(conversation, to);

  expect(moved.count()).toBe(3);
  expect([4, 8, 12, 16].map((conversation) => moved.find(conversation) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ]);
});
