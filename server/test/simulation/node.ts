/** The parts of a gateway process that handle money: judge, queue and holds over one connection. */

import { openHolds } from "#modules/ledger/holds.ts";
import { openJudge } from "#modules/ledger/judge.ts";
import {
  aloneInEpoch,
  type Membership,
  openMembership,
  silentMaxMs,
} from "#modules/ledger/membership.ts";
import { type OperationQueue, openQueue } from "#modules/ledger/queue.ts";
import { type Link, openLink } from "./link.ts";
import { refusedContent } from "./model-batch.ts";
import { nodeDeadMs } from "./model-nodes.ts";
import { storeBroke } from "./transactions.ts";
import type { SimNode, World } from "./world.ts";

/** Interval of heartbeats, as in `nodes.ts` and `open-ledger.ts`. */
const heartbeatMs = 1_000;

/** Interval at which a node looks for dead nodes. */
const sweepMs = 2_000;

/** Pause before another attempt to start a process that could not start. */
const startAgainMs = 500;

/** Starts a process: recovers what a dead one left, then takes calls. */
export function startNode(world: World): void {
  const { plan, store } = world;
  const id = `node-${world.newId()}`;
  if (plan.policy === "whole") {
    const epoch = store.joinNodes({ nodeId: id, epoch: 0 });
    for (const other of store.nodes.keys()) if (other !== id) store.endEpoch(other);
    for (const lost of store.lostNodes()) release(world, lost);
    const node = openNode(world, id);
    node.join(aloneInEpoch(epoch));
    for (const [userId, { balance }] of store.users) node.judge.grant(`user:${userId}`, balance);
    for (const [tokenId, { remain }] of store.tokens) node.judge.grant(`token:${tokenId}`, remain);
    return;
  }
  const node = openNode(world, id);
  world.starting += 1;
  joinOthers(world, node)
    .then((membership) => {
      world.starting -= 1;
      node.join(membership);
      beatLater(world, node);
      sweepLater(world, node);
    })
    .catch((error: unknown) => world.fail(`a node ended with ${String(error)}`));
}

/** Joins the other nodes; tries again until that succeeds. */
async function joinOthers(world: World, { id, link, sleep }: OpenNode): Promise<Membership> {
  const { schedule, store } = world;
  for (;;) {
    try {
      return await openMembership({
        nodeId: id,
        beat: async (node) =>
          (await link.pulse(() => store.beat(node)))
            ? { kind: "acknowledged", atMs: schedule.now() }
            : { kind: "ended" },
        join: async (node) => {
          const epoch = await link.pulse(() => store.joinNodes(node));
          return { epoch, atMs: schedule.now(), isBehind: false };
        },
        lineage: async () => "",
        elapsed: schedule.now,
        onEpoch() {},
        onBehind: () => world.fail("the simulated database does not go back"),
        onRejoined: () => world.note(schedule.now()),
      });
    } catch {
      await sleep(startAgainMs);
    }
  }
}

type OpenNode = SimNode & {
  sleep(ms: number): Promise<void>;
  /** Lets the node take calls from now on. */
  join(membership: Membership): void;
};

function openNode(world: World, id: string): OpenNode {
  const { schedule, plan } = world;
  const trouble = { frozenUntil: 0, cutUntil: 0, deafUntil: 0 };
  const link = openLink(world, trouble);
  const judge = openJudge();
  let alive = true;
  let membership = aloneInEpoch(0);

  const queue = openQueue({
    nodeId: id,
    epoch: () => membership.epoch(),
    rejoin: async (ended) => await membership.rejoin(ended),
    send: link.send,
    elapsed: schedule.now,
    wait,
    onRefused(operation) {
      const isDue = operation.type === "settle" && operation.log.interrupted === refusedContent;
      world.check(isDue, `a healthy ${operation.type} was left out`);
    },
    onStoreState() {},
  });
  const watched = watchStarts(world, { id, link, queue });

  async function wait(ms: number): Promise<void> {
    await world.sleep(node, ms);
  }

  const node: OpenNode = {
    id,
    judge,
    // The ledger's Unix time jumps at random, because no jump of a clock may affect money.
    holds: openHolds({
      policy: plan.policy,
      judge,
      queue: watched,
      isCurrent: () => membership.isCurrent(),
      now: () => schedule.now() + world.random.between(-3_600_000, 3_600_000),
      wait,
      payDebt: async () => ({ posted: null }),
    }),
    link,
    trouble,
    troubledAt() {
      const until = Math.max(trouble.frozenUntil, trouble.cutUntil, trouble.deafUntil);
      return Math.min(until, schedule.now());
    },
    isCurrent: () => membership.isCurrent(),
    beat: async () => await membership.beat().catch(() => {}),
    isAlive: () => alive,
    waiting: queue.length,
    isIdle: () => queue.length() === 0 && link.isIdle() && !queue.failing(),
    sleep: wait,
    join(joined) {
      membership = joined;
      world.nodes.push(node);
    },
    kill() {
      alive = false;
      world.counts.crash += 1;
      link.cut();
      world.nodes.splice(world.nodes.indexOf(node), 1);
      for (const [callId, call] of world.open) {
        if (call.node === node) world.open.delete(callId);
      }
    },
  };
  return node;
}

/**
 * Wraps the queue to check that calls start only while the store commits and no other node may take
 * this one for dead.
 */
function watchStarts(
  { check, schedule, store }: World,
  { id, link, queue }: { id: string; link: Link; queue: OperationQueue },
): OperationQueue {
  return {
    ...queue,
    push(operation) {
      if (operation.type === "open" || operation.type === "take") {
        check(!link.isTroubled(), "a call started while the store does not commit");
      }
      if (operation.type === "take") {
        const toldMs = schedule.now() - (store.nodes.get(id)?.heartbeatAt ?? 0);
        check(toldMs < silentMaxMs, "a call started on a node that may be thought dead");
      }
      return queue.push(operation);
    },
  };
}

/** Whether the world is closing, no call is open and no reservation is left to release. */
function isOver({ closing, open, store }: World): boolean {
  return closing && open.size === 0 && store.reservations.size === 0;
}

function beatLater(world: World, node: OpenNode): void {
  node
    .sleep(heartbeatMs)
    .then(async () => {
      await node.beat();
      if (!isOver(world)) beatLater(world, node);
    })
    .catch((error: unknown) => world.fail(`a heartbeat ended with ${String(error)}`));
}

function sweepLater(world: World, node: OpenNode): void {
  node
    .sleep(sweepMs)
    .then(async () => {
      await sweep(world, node).catch((error: unknown) => {
        if (error !== storeBroke) throw error;
      });
      if (!isOver(world)) sweepLater(world, node);
    })
    .catch((error: unknown) => world.fail(`a look for dead nodes ended with ${String(error)}`));
}

async function sweep(world: World, { id, link }: OpenNode): Promise<void> {
  const { store } = world;
  const silent = await link.write(() => {
    const ended = store.endSilent(id);
    for (const one of ended) checkDeath(world, one);
    return ended;
  });
  for (const lost of store.lostNodes()) await link.write(() => release(world, lost));
  if (silent.length > 0) await link.write(() => store.removeNodes(silent));
}

function checkDeath(world: World, nodeId: string): void {
  const node = world.nodes.find(({ id }) => id === nodeId);
  if (node === undefined) return;
  world.counts["thought dead"] += 1;
  const heartbeatAt = world.store.nodes.get(nodeId)?.heartbeatAt ?? 0;
  const silentMs = world.schedule.now() - heartbeatAt;
  world.check(silentMs > nodeDeadMs, "a node was thought dead before its time");
  // A node may be taken for dead only if it was blocked itself, never because the store was out.
  world.check(node.troubledAt() >= heartbeatAt, "a node that could tell so was thought dead");
}

/**
 * Releases the reservations that a dead node left, twice: the second time must find nothing left to
 * do.
 */
function release(world: World, nodeId: string): void {
  const { store, open, lost } = world;
  const node = store.nodes.get(nodeId);
  for (const [id, row] of store.reservations) {
    if (row.nodeId !== nodeId || row.epoch === node?.epoch) continue;
    const isLate =
      node !== undefined && world.plan.policy === "exact" && row.takenAt > node.endedAt;
    world.check(!isLate, `call ${id} began after its node was thought dead`);
    const isBack = node !== undefined && node.joinedAt > row.takenAt;
    world.check(
      !isBack || node.endedAt > node.joinedAt,
      `call ${id} was lost by a node that is back`,
    );
    if (open.has(id)) lost.add(id);
  }
  const released = store.releaseInterrupted(nodeId);
  world.note(released.length);
  world.counts.interrupted += released.length;
  world.check(store.releaseInterrupted(nodeId).length === 0, "recovery left something to recover");
}
