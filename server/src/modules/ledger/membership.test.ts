import { expect, test } from "bun:test";
import { openMembership, silentMaxMs } from "./membership.ts";
import type { Beat, NodeEpoch } from "./nodes.ts";

/**
 * Opens the membership of a node, over a stand-in for the database that the test controls as
 * `store`.
 */
async function openTestMembership() {
  let elapsed = 5_000;
  const store = {
    beat: async (_: NodeEpoch, __: number): Promise<Beat> => ({ kind: "acknowledged", atMs: 1 }),
    joined: 0,
    isBehind: false,
    lineage: "7:1",
  };
  const rejoined: number[] = [];
  const behind: number[] = [];
  const membership = await openMembership({
    nodeId: "n",
    beat: (node, seenMs) => store.beat(node, seenMs),
    join: async ({ epoch }) => {
      store.joined += 1;
      return { epoch: epoch + 1, atMs: 1_000, isBehind: epoch > 0 && store.isBehind };
    },
    lineage: async () => store.lineage,
    elapsed: () => elapsed,
    onEpoch() {},
    onRejoined: () => rejoined.push(elapsed),
    onBehind: () => behind.push(elapsed),
  });
  const pass = (ms: number): void => {
    elapsed += ms;
  };
  return { membership, store, rejoined, behind, pass };
}

test("a node takes no calls once its last acknowledged heartbeat is five seconds old", async () => {
  const { membership, store, pass } = await openTestMembership();
  pass(silentMaxMs - 1);
  expect(membership.isCurrent()).toBeTrue();
  pass(1);
  expect(membership.isCurrent()).toBeFalse();

  store.beat = async () => {
    // A heartbeat's age counts from the moment it was sent, because the database may have stored it
    // then, long before its answer arrives.
    pass(2_000);
    return { kind: "acknowledged", atMs: 2 };
  };
  await membership.beat();
  pass(silentMaxMs - 2_001);
  expect(membership.isCurrent()).toBeTrue();
  pass(1);
  expect(membership.isCurrent()).toBeFalse();
});

test("a heartbeat that fails acknowledges nothing", async () => {
  const { membership, store, pass } = await openTestMembership();
  store.beat = async () => {
    throw new Error("away");
  };
  pass(silentMaxMs);
  await expect(membership.beat()).rejects.toThrow("away");
  expect(membership.isCurrent()).toBeFalse();
});

test("a node that others took for dead begins one new epoch, however it learns of it", async () => {
  const { membership, store, rejoined, pass } = await openTestMembership();
  store.beat = async ({ epoch }) =>
    epoch > 1 ? { kind: "acknowledged", atMs: 1 } : { kind: "ended" };
  pass(60_000);
  await Promise.all([membership.beat(), membership.rejoin(1), membership.rejoin(1)]);

  expect(membership.epoch()).toBe(2);
  expect(membership.isCurrent()).toBeTrue();
  expect([store.joined, rejoined.length]).toEqual([2, 1]);
  await membership.rejoin(1);
  expect(membership.epoch()).toBe(2);
});

test("a node takes no calls from a database that shows less than it has acknowledged", async () => {
  const { membership, store, behind } = await openTestMembership();
  const seen: number[] = [];
  store.beat = async (_, seenMs) => {
    seen.push(seenMs);
    return { kind: "acknowledged", atMs: 2_000 };
  };
  await membership.beat();
  await membership.beat();
  expect(seen).toEqual([1_000, 2_000]);
  expect(membership.isCurrent()).toBeTrue();

  store.beat = async () => ({ kind: "behind" });
  await membership.beat();
  expect([membership.isCurrent(), behind.length]).toEqual([false, 1]);
  await membership.renew();
  expect([membership.epoch(), membership.isCurrent()]).toEqual([2, false]);
  membership.caughtUp();
  expect(membership.isCurrent()).toBeTrue();
});

test("a promoted standby is noticed even if no heartbeat is missing", async () => {
  const { membership, store, behind } = await openTestMembership();
  await membership.beat();
  // A server may not say for a moment which history it is in.
  store.lineage = "";
  await membership.beat();
  expect(behind).toEqual([]);
  store.lineage = "7:2";
  await membership.beat();
  expect([membership.isCurrent(), behind.length]).toEqual([false, 1]);
});

test("a node whose row is gone or older when it joins again knows that the database went back", async () => {
  const { membership, store, rejoined, behind } = await openTestMembership();
  store.isBehind = true;
  await membership.rejoin(1);
  expect([membership.isCurrent(), behind.length, rejoined.length]).toEqual([false, 1, 0]);
});
