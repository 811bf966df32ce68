/** The parts of a gateway process that handle money: judge, queue and holds over one connection. */

import { StoreUnavailable } from "#db/store-unavailable.ts";
import { openHolds } from "#modules/ledger/holds.ts";
import { type Lanes, openLanes } from "#modules/ledger/journal/lanes.ts";
import { releaseNodes } from "#modules/ledger/journal/recover.ts";
import { openJudge } from "#modules/ledger/judge.ts";
import {
  aloneInEpoch,
  type Membership,
  openMembership,
  silentMaxMs,
} from "#modules/ledger/membership.ts";
import type { OperationQueue } from "#modules/ledger/queue.ts";
import { type Link, openLink, slowMs } from "./link.ts";
import { refusedContent } from "./model-batch.ts";
import { nodeDeadMs } from "./model-nodes.ts";
import { openNodeBooks } from "./node-books.ts";
import { storeBroke } from "./transactions.ts";
import type { SimNode, Trouble, World } from "./world.ts";

/** Interval of heartbeats, as in `nodes.ts` and `open-ledger.ts`. */
const heartbeatMs = 1_000;

/** Interval at which a node looks for dead nodes. */
const sweepMs = 2_000;

/** As in `queue.ts`: a batch that takes longer means that the store does not commit. */
const lateMs = 1_000;

/** Pause before another attempt to start a process that could not start. */
const startAgainMs = 500;

/** Starts a process: recovers what a dead one left, then takes calls. */
export function startNode(world: World): void {
  const { plan } = world;
  const node = openNode(world, `node-${world.newId()}`);
  world.starting += 1;
  if (plan.policy === "whole") {
    takeOver(world, node).catch((error: unknown) =>
      world.fail(`a start ended with ${String(error)}`),
    );
    return;
  }
  joinOthers(world, node)
    .then((membership) => {
      world.starting -= 1;
      node.join(membership);
      beatLater(world, node);
      sweepLater(world, node);
    })
    .catch((error: unknown) => world.fail(`a node ended with ${String(error)}`));
}

/**
 * Chance that a process dies while it writes into the books what the one before it has left, and how
 * long each of its steps takes at most, in milliseconds.
 */
const deadOnStart = 0.2;
const startStepMs = 20;

/** Takes over a SQLite database, as `open-ledger.ts` does. */
async function takeOver(world: World, node: OpenNode): Promise<void> {
  const { random, schedule, store } = world;
  const epoch = store.joinNodes({ nodeId: node.id, epoch: 0 });
  for (const other of store.nodes.keys()) if (other !== node.id) store.endEpoch(other);
  if (!world.closing && random.chance(deadOnStart)) {
    schedule.after(random.between(1, 2 * startStepMs), () => {
      if (!node.isAlive() || world.nodes.includes(node)) return;
      node.kill();
      world.starting -= 1;
      startNode(world);
    });
  }
  const step = async <Result>(run: () => Result): Promise<Result> => {
    await node.sleep(random.between(0, startStepMs));
    return run();
  };
  await releaseLost(world, step);
  if (!node.isAlive()) return;
  world.starting -= 1;
  node.join(aloneInEpoch(epoch));
  for (const [userId, { balance }] of store.users) node.judge.grant(`user:${userId}`, balance);
  for (const [tokenId, { remain }] of store.tokens) node.judge.grant(`token:${tokenId}`, remain);
}

type Run = <Result>(apply: () => Result) => Promise<Result>;

/** Ends what nodes of ended epochs have left, by transactions that `run` makes. */
async function releaseLost(world: World, run: Run): Promise<void> {
  const { store } = world;
  const deps = {
    applyEnded: async (id: string, apart: boolean) =>
      await run(() => {
        const before = store.unapplied();
        const isMore = store.applyEnded(id, apart);
        world.counts.recovered += before - store.unapplied();
        return isMore;
      }),
    releaseInterrupted: async (id: string) => await run(() => release(world, id)),
    endEpochs: async () => [],
    hasNode: async () => true,
  };
  await releaseNodes({ store: deps, log: { warn() {} } }, store.lostNodes());
}

/** Joins the other nodes; tries again until that succeeds. */
async function joinOthers(world: World, node: OpenNode): Promise<Membership> {
  const { schedule, store } = world;
  const { id, link, sleep } = node;
  for (;;) {
    try {
      return await openMembership({
        nodeId: id,
        beat: async (own) =>
          (await link.pulse(() => store.beat(own)))
            ? { kind: "acknowledged", atMs: schedule.now() }
            : { kind: "ended" },
        join: async (own) => {
          const epoch = await link.pulse(() => store.joinNodes(own));
          return { epoch, atMs: schedule.now(), isBehind: false };
        },
        lineage: async () => "",
        elapsed: schedule.now,
        onEpoch: node.noteEpoch,
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
  noteEpoch(): void;
  /** Lets the node take calls from now on. */
  join(membership: Membership): void;
};

function blockedUntil({ closing, weather }: World, trouble: Trouble): number {
  // What was asked before the world closed is answered when the store no longer hangs.
  const hungUntil = closing ? weather.hungUntil : 0;
  return Math.max(trouble.frozenUntil, trouble.cutUntil, trouble.deafUntil, hungUntil);
}

function openNode(world: World, id: string): OpenNode {
  const { schedule, plan } = world;
  const trouble = { frozenUntil: 0, cutUntil: 0, deafUntil: 0 };
  const link = openLink(world, trouble);
  const judge = openJudge();
  let alive = true;
  let membership = aloneInEpoch(0);

  const { books, journal } = openNodeBooks(world, {
    id,
    link,
    trouble,
    isAlive: () => alive,
    wait,
  });
  const isSlow = (): boolean => queue.failing() || queue.lagMs() > slowMs;
  const queue: Lanes = openNodeLanes(world, {
    id,
    link,
    books,
    journal,
    wait,
    membership: () => membership,
    isSlow,
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
    troubledAt: () => Math.min(blockedUntil(world, trouble), schedule.now()),
    isCurrent: () => membership.isCurrent(),
    beat: async () => await membership.beat().catch(() => {}),
    isAlive: () => alive,
    waiting: queue.length,
    isIdle: () => queue.pendingIds().length === 0 && !queue.failing(),
    isLate: () => queue.lagMs() > lateMs,
    storeTroubledAt: () => (isSlow() ? schedule.now() : link.troubledAt()),
    write: async (apply) => await writeBehind(books, link, apply),
    readsBooks: async () => await (books.barrier() ?? Promise.resolve()).then(isTrue, isFalse),
    noteEpoch: () => queue.noteEpoch(node.holds.openIds()),
    sleep: wait,
    join(joined) {
      membership = joined;
      world.nodes.push(node);
    },
    kill() {
      alive = false;
      link.cut();
      bury(world, node);
    },
  };
  return node;
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

/** Writes as the console does: once the books have what was committed before. */
async function writeBehind<Result>(
  books: LanesParts["books"],
  link: Link,
  apply: () => Result,
): Promise<Result> {
  await books.barrier()?.catch(() => {
    throw storeBroke;
  });
  return await link.write(apply);
}

type LanesParts = ReturnType<typeof openNodeBooks> & {
  readonly id: string;
  readonly link: Link;
  readonly wait: (ms: number) => Promise<void>;
  readonly membership: () => Membership;
  /** Whether the operations of the process are slow or fail. */
  readonly isSlow: () => boolean;
};

function openNodeLanes(
  { check, schedule }: World,
  { id, link, membership, isSlow, ...parts }: LanesParts,
): Lanes {
  return openLanes({
    ...parts,
    nodeId: id,
    epoch: () => membership().epoch(),
    rejoin: async (ended) => await membership().rejoin(ended),
    apply: async (batch) => {
      const answer = await link.watch(batch, async () => await link.send(batch));
      // The wait for the books before it counts as well.
      if (isSlow()) link.noteTrouble();
      return answer;
    },
    elapsed: schedule.now,
    onRefused(operation) {
      const isDue = operation.type === "settle" && operation.log.interrupted === refusedContent;
      check(isDue, `a healthy ${operation.type} was left out`);
    },
    onStoreState: link.noteTrouble,
  });
}

/** Takes a dead process out of the world, with its calls. */
function bury({ counts, nodes, open, store }: World, node: SimNode): void {
  counts.crash += 1;
  if (store.unapplied() > 0) counts["died with records"] += 1;
  if (nodes.includes(node)) nodes.splice(nodes.indexOf(node), 1);
  for (const [callId, call] of open) if (call.node === node) open.delete(callId);
}

/**
 * Wraps the queue to check that calls start only while the store commits and no other node may take
 * this one for dead.
 */
function watchStarts(
  { check, schedule, store, open }: World,
  { id, link, queue }: { id: string; link: Link; queue: OperationQueue },
): OperationQueue {
  return {
    ...queue,
    push(operation) {
      // A call that runs may have to take its hold again.
      const starts = operation.type === "take" && !open.has(operation.facts.id);
      if (operation.type === "open" || starts) {
        check(!link.isTroubled(), "a call started while the store does not commit");
      }
      if (starts) {
        const toldMs = schedule.now() - (store.nodes.get(id)?.heartbeatAt ?? 0);
        check(toldMs < silentMaxMs, "a call started on a node that may be thought dead");
      }
      return queue.push(operation);
    },
  };
}

/** Whether the world is closing, no call is open, and nothing is left to send, apply or release. */
function isOver({ closing, nodes, open, store }: World): boolean {
  if (!closing || open.size > 0 || nodes.some((node) => !node.isIdle())) return false;
  return store.reservations.size === 0 && store.unapplied() === 0;
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
        if (error !== storeBroke && !(error instanceof StoreUnavailable)) throw error;
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
  await releaseLost(world, link.writeBooks);
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
 * do. @returns how many were released.
 */
function release(world: World, nodeId: string): number {
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
  return released.length;
}
