/**
 * Runs one world from its start until it is at rest. Its seed decides everything, so a seed that
 * failed fails again: `bun server/test/simulation/run-seed.ts <seed>`.
 */

import { drainMicrotasks } from "bun:jsc";
import { openAccounts, startAdmins } from "./admins.ts";
import { startCalls } from "./calls.ts";
import { openModelStore } from "./model-store.ts";
import { startNode } from "./node.ts";
import { checkHeld, checkRest, openOracle } from "./oracle.ts";
import { openWorld, type World } from "./world.ts";

/** How many random events happen in the simulated world of a seed before it is shut down. */
export const eventsPerSeed = 10_000;

/** The number of further events within which the world must come to rest. */
const restMax = 20_000;

/** The number of events between two runs of the slower checks. */
const heldEvery = 64;

/** The longest pause between the death of a process and the start of the next, in milliseconds. */
const restartMs = 3_000;

export type Outcome = {
  readonly seed: number;
  /** What was violated; null: nothing. */
  readonly failure: string | null;
  readonly events: number;
  /** A hash of everything that happened in the run: equal for equal runs. */
  readonly trace: string;
  readonly counts: World["counts"];
};

export function runSeed(seed: number): Outcome {
  const world = openWorld(seed, {
    openStore: (plan, now) => openModelStore(plan.policy, now),
    openOracle,
  });
  openAccounts(world);
  for (let count = world.plan.nodeCount; count > 0; count -= 1) startNode(world);
  startCalls(world);
  startAdmins(world);
  startOutages(world);
  startCrashes(world);
  startTroubles(world);
  let events = 0;
  try {
    while (events < eventsPerSeed && world.failure() === null) {
      if (!world.schedule.step()) throw new Error("nothing happens any more");
      events += 1;
      checkEvent(world, events);
    }
    comeToRest(world);
  } catch (error) {
    world.fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return {
    seed,
    failure: world.failure() === null ? null : `seed ${seed}, event ${events}: ${world.failure()}`,
    events,
    trace: world.traceHash(),
    counts: world.counts,
  };
}

function checkEvent(world: World, events: number): void {
  world.note(world.schedule.now(), world.store.entries.length);
  const flaw = world.oracle.absorb();
  if (flaw !== null) world.fail(flaw);
  if (events % heldEvery === 0) checkHeld(world);
}

/** Closes the world: faults end, calls end, and then every node must take calls again. */
function comeToRest(world: World): void {
  if (world.failure() !== null) return;
  world.closing = true;
  for (const { trouble } of world.nodes) {
    trouble.frozenUntil = world.schedule.now();
    trouble.cutUntil = world.schedule.now();
    trouble.deafUntil = world.schedule.now();
  }
  if (world.nodes.length + world.starting === 0) startNode(world);
  for (let events = 0; world.schedule.step(); events += 1) {
    if (world.failure() !== null) return;
    if (events > restMax) throw new Error("the world does not come to rest");
    checkEvent(world, events);
  }
  checkRest(world);
  for (const node of world.nodes) {
    // Sends a heartbeat first: in an idle world the last one may be so old that the node refuses
    // calls.
    void node.beat();
    for (let events = 0; world.schedule.step(); events += 1) checkEvent(world, events);
    const answer = takeCall(world, node);
    for (let events = 0; world.schedule.step(); events += 1) checkEvent(world, events);
    world.check(answer.kind === "held", `a healthy node answers ${answer.kind}`);
  }
  checkRest(world);
}

/** Starts a call that costs nothing, which succeeds only if the store commits. */
function takeCall(world: World, { holds }: World["nodes"][number]): { kind: string } {
  const [user] = world.users;
  const taken = { kind: "nothing" };
  const id = String(world.newId());
  const input = { id, userId: user?.id ?? 0, tokenId: 0, tokenLimited: false };
  Promise.resolve(holds.reserve({ ...input, modelName: "m", group: "g", want: 0, least: 0 }))
    .then((answer) => {
      taken.kind = answer.kind;
      if (answer.kind === "held") answer.hold.release();
    })
    .catch((error: unknown) => world.fail(`a healthy node throws ${String(error)}`));
  drainMicrotasks();
  return taken;
}

const betweenOutagesMs = 3_000;

/** Starts outages from time to time, in which the store is unreachable or does not answer. */
function startOutages(world: World): void {
  const { plan, random, schedule, weather } = world;
  if (plan.outageMs === 0) return;
  const overMs = Math.max(
    0,
    weather.downUntil - schedule.now(),
    weather.hungUntil - schedule.now(),
  );
  // The pause between outages gives every node time for a heartbeat.
  const pauseMs = plan.policy === "exact" ? overMs + betweenOutagesMs : 0;
  schedule.after(pauseMs + random.between(1, 2 * plan.outageMs), () => {
    if (world.closing) return;
    world.counts.outage += 1;
    const longest = plan.policy === "exact" && random.chance(0.3) ? 20_000 : 6_000;
    const until = schedule.now() + random.between(100, longest);
    if (random.chance(0.5)) weather.downUntil = until;
    else weather.hungUntil = until;
    startOutages(world);
  });
}

/**
 * Kills processes from time to time. A process dies with its memory, and another starts in its
 * place.
 */
function startCrashes(world: World): void {
  const { plan, random, schedule, nodes } = world;
  if (plan.crashMs === 0) return;
  schedule.after(random.between(1, 2 * plan.crashMs), () => {
    if (world.closing) return;
    startCrashes(world);
    if (nodes.length === 0) return;
    random.pick(nodes).kill();
    schedule.after(random.between(1, restartMs), () => {
      if (nodes.length + world.starting < plan.nodeCount) startNode(world);
    });
  });
}

/**
 * The longest time for which a node freezes or is cut off from the store: twice the time after
 * which it counts as dead.
 */
const troubleMaxMs = 20_000;

/** After this long without a heartbeat, a node certainly counts as dead. */
const deathMs = 13_000;

/**
 * From time to time freezes a process, cuts it off from the store, or blocks only its heartbeats.
 */
function startTroubles(world: World): void {
  const { plan, random, schedule, nodes } = world;
  if (plan.troubleMs === 0) return;
  schedule.after(random.between(1, 2 * plan.troubleMs), () => {
    if (world.closing) return;
    startTroubles(world);
    if (nodes.length === 0) return;
    world.counts.trouble += 1;
    const { trouble } = random.pick(nodes);
    const kind = random.pick(["cutUntil", "deafUntil", "frozenUntil"] as const);
    const leastMs = random.pick([500, deathMs]);
    trouble[kind] = schedule.now() + random.between(leastMs, troubleMaxMs);
  });
}

if (import.meta.main) {
  const outcome = runSeed(Number(process.argv[2]));
  process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
  process.exitCode = outcome.failure === null ? 0 : 1;
}
