/** The parts of a gateway process that handle money: judge, queue and holds over one connection. */

import { openHolds } from "#modules/ledger/holds.ts";
import { openJudge } from "#modules/ledger/judge.ts";
import { type OperationQueue, openQueue } from "#modules/ledger/queue.ts";
import { openLink } from "./link.ts";
import { refusedContent } from "./model-batch.ts";
import type { SimNode, World } from "./world.ts";

/** As in `nodes.ts`: how long a node is silent before others release its holds. */
const nodeDeadMs = 10_000;

/** How often a node searches for such nodes. */
const recoverMs = 3_000;

/** Starts a process: it releases what a dead one left, then takes calls. */
export function startNode(world: World): SimNode {
  const { schedule, plan, store } = world;
  const id = `node-${world.newId()}`;
  const link = openLink(world);
  const judge = openJudge();
  let alive = true;

  const queue = openQueue({
    nodeId: id,
    send: link.send,
    elapsed: schedule.now,
    wait,
    onRefused(operation) {
      const isDue = operation.type === "settle" && operation.log.content === refusedContent;
      world.check(isDue, `a healthy ${operation.type} was left out`);
    },
    onStoreState() {},
  });
  const watched: OperationQueue = {
    ...queue,
    push(operation) {
      if (operation.type === "open" || operation.type === "take") {
        world.check(!link.isTroubled(), "a call started while the store does not commit");
      }
      return queue.push(operation);
    },
  };

  async function wait(ms: number): Promise<void> {
    await world.sleep(node, ms);
  }

  const node: SimNode = {
    id,
    judge,
    // Unix time may jump; that must not affect money.
    holds: openHolds({
      policy: plan.policy,
      judge,
      queue: watched,
      now: () => schedule.now() + world.random.between(-3_600_000, 3_600_000),
      wait,
    }),
    link,
    isAlive: () => alive,
    waiting: queue.length,
    isIdle: () => queue.length() === 0 && link.isIdle() && !queue.failing(),
    kill() {
      alive = false;
      world.counts.crash += 1;
      link.cut();
      world.dead.set(id, schedule.now());
      world.nodes.splice(world.nodes.indexOf(node), 1);
      for (const [callId, call] of world.open) {
        if (call.node === node) world.open.delete(callId);
      }
    },
  };
  world.nodes.push(node);
  if (plan.policy === "exact") {
    recoverLater(world, node);
  } else {
    release(world, new Set(world.dead.keys()));
    world.dead.clear();
    for (const [userId, { balance }] of store.users) judge.grant(`user:${userId}`, balance);
    for (const [tokenId, { remain }] of store.tokens) judge.grant(`token:${tokenId}`, remain);
  }
  return node;
}

/** A second recovery finds nothing left to do. */
function release(world: World, nodeIds: ReadonlySet<string>): void {
  const { store } = world;
  const released = store.releaseInterrupted(nodeIds);
  world.note(released);
  world.counts.interrupted += released;
  world.check(store.releaseInterrupted(nodeIds) === 0, "recovery left something to recover");
  for (const row of store.reservations.values()) {
    world.check(!nodeIds.has(row.nodeId), "a reservation of a dead node stays open");
  }
}

/** Searches for dead nodes until the world is at rest without any. */
function recoverLater(world: World, node: SimNode): void {
  const { schedule, dead, store } = world;
  schedule.after(recoverMs, () => {
    if (!node.isAlive()) return;
    // A dead node's commit may succeed late, so no node is ever forgotten.
    const due = [...dead].filter(([, at]) => schedule.now() - at > nodeDeadMs).map(([id]) => id);
    const ids = new Set(due);
    if (due.length > 0) node.link.write(() => release(world, ids)).catch(() => {});
    const isOver = world.closing && due.length === dead.size && store.reservations.size === 0;
    if (!isOver) recoverLater(world, node);
  });
}
