import { expect, test } from "bun:test";
import { openMembership, silentMaxMs } from "./membership.ts";
import type { NodeEpoch } from "./nodes.ts";

/**
 * Opens the membership of a node, over a stand-in for the database that the test controls as
 * `store`.
 */
async function openTestMembership() {
  let elapsed = 5_000;
  const store = {
    beat: async (_: NodeEpoch): Promise<boolean> => true,
    joined: 0,
  };
  const rejoined: number[] = [];
  const membership = await openMembership({
    nodeId: "n",
    beat: (node) => store.beat(node),
    join: async ({ epoch }) => {
      store.joined += 1;
      return epoch + 1;
    },
    elapsed: () => elapsed,
    onRejoined: () => rejoined.push(elapsed),
  });
  const pass = (ms: number): void => {
    elapsed += ms;
  };
  return { membership, store, rejoined, pass };
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
    return true;
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
  store.beat = async ({ epoch }) => epoch > 1;
  pass(60_000);
  await Promise.all([membership.beat(), membership.rejoin(1), membership.rejoin(1)]);

  expect(membership.epoch()).toBe(2);
  expect(membership.isCurrent()).toBeTrue();
  expect([store.joined, rejoined.length]).toEqual([2, 1]);
  await membership.rejoin(1);
  expect(membership.epoch()).toBe(2);
});
