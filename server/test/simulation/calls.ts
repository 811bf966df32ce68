/** Calls as the relay makes them, and sometimes invalid ones. */

import type { BudgetClaim } from "#modules/ledger/budgets/budgets.ts";
import type { OpenHold, ReserveInput } from "#modules/ledger/hold.ts";
import type { AccountKey } from "#modules/ledger/judge.ts";
import { logOf, taskOf, template } from "./call-logs.ts";
import { refusedContent } from "./model-batch.ts";
import { checkCovered } from "./oracle.ts";
import {
  type OpenCall,
  type SimNode,
  type SimToken,
  type SimUser,
  windowsAt,
  type World,
} from "./world.ts";

/**
 * The longest a call may wait for its hold: a second until the store works, and a second for the
 * store's answer.
 */
const reserveMaxMs = 2_050;

/**
 * When this many operations wait ahead of a call, the store may be so slow that the call waits a
 * second.
 */
const crowd = 100;

/** The longest time until a heartbeat succeeds again once no fault prevents it. */
const silencedMaxMs = 5_000;

/** The longest silence between two chunks of a streamed answer. */
const chunkMs = 300;

/** Starts calls at random nodes, independently of each other, until the world closes. */
export function startCalls(world: World): void {
  const { random, schedule, plan, nodes, users } = world;
  schedule.after(random.between(1, 2 * plan.callMs), () => {
    if (world.closing) return;
    startCalls(world);
    if (nodes.length === 0) return;
    const user = random.pick(users);
    const call = { node: random.pick(nodes), user, token: random.pick(user.tokens) };
    runCall(world, call).catch((error: unknown) =>
      world.fail(`a call ended with ${String(error)}`),
    );
  });
}

type Caller = { readonly node: SimNode; readonly user: SimUser; readonly token: SimToken };

/** Makes the claim of a call at the present time. */
function claimOf({ budget }: SimToken, nowMs: number): BudgetClaim | undefined {
  const at = Math.max(1, Math.floor(nowMs));
  return budget === 0 ? undefined : { at, windows: windowsAt(at, budget) };
}

async function runCall(world: World, { node, user, token }: Caller): Promise<void> {
  const { random, plan } = world;
  const isStream = random.chance(0.5);
  const want = random.between(0, plan.priceMax);
  const id = String(world.newId());
  const input: ReserveInput = {
    id,
    userId: user.id,
    tokenId: token.id,
    tokenLimited: token.limited,
    modelName: "m",
    group: "default",
    budget: claimOf(token, world.schedule.now()),
    want,
    // The hold of a call that cannot be ended early must cover its full cost.
    least: isStream ? random.between(0, want) : want,
  };
  if (random.chance(plan.abuse)) await reserveNonsense(world, node, input);
  const hold = await reserve(world, node, input);
  if (hold === undefined) return;
  const call: OpenCall = {
    node,
    userId: user.id,
    token,
    hold,
    budget: input.budget,
    covered: null,
  };
  world.open.set(id, call);
  checkCovered(world, call);
  const cost = isStream ? await stream(world, call, id) : await answer(world, call);
  await end(world, { id, call, cost });
}

async function reserve(
  world: World,
  node: SimNode,
  input: ReserveInput,
): Promise<OpenHold | undefined> {
  const { check, schedule, plan, counts } = world;
  const free = freeOf(node, input);
  const asked = schedule.now();
  const isTroubled = node.link.isTroubled();
  const given = node.holds.reserve(input);
  const isAtOnce = !(given instanceof Promise);
  check(!isTroubled || !isAtOnce, "a call started while the store does not commit");
  const isBudgeted = input.budget !== undefined;
  // The first call of a window waits for the database, which says what was spent before.
  const mayWait = isTroubled || node.isLate() || isBudgeted || isOut(world);
  check(mayWait || isAtOnce === (plan.policy === "whole"), "a call waits for a healthy store");
  if (isAtOnce && given.kind === "over-budget") {
    check(input.least <= free, "the budget is asked before the balance");
  } else if (isAtOnce && isBudgeted) {
    check(given.kind !== "held" || given.hold.amount() <= free, "a hold is more than was free");
  } else if (isAtOnce) {
    const isDue = free >= input.least;
    check((given.kind === "held") === isDue, `${free} free, ${input.least} needed: ${given.kind}`);
    if (given.kind === "held") {
      check(given.hold.amount() === Math.min(free, input.want), "a hold is not what was free");
    }
  }
  const reserved = await given;
  world.note(reserved.kind.length, input.want, schedule.now());
  counts[reserved.kind] += 1;
  const isFrozen = node.troubledAt() >= asked;
  check(isFrozen || schedule.now() - asked <= reserveMaxMs, "a call waited too long for its hold");
  switch (reserved.kind) {
    case "held": {
      const amount = reserved.hold.amount();
      check(amount >= input.least && amount <= input.want, `asked ${input.want}, held ${amount}`);
      checkLent(world, input.id, amount);
      return reserved.hold;
    }
    case "in-debt":
      check(false, "a call was refused for a debt, and nobody has one");
      return undefined;
    case "over-budget":
    case "refused":
      check(reserved.available < input.least, "a call was refused what there was");
      return undefined;
    case "unavailable": {
      const isTold =
        node.storeTroubledAt() >= asked - 1_000 ||
        node.waiting() > crowd ||
        isSilenced(world, node, asked);
      check(isTold, "a healthy store was called unavailable");
      return undefined;
    }
  }
}

/** How long a node may take to notice that the store works again: it tries so often. */
const noticeMs = 500;

/** Whether the store is out, or was until a moment ago. Then the books may fail before a batch does. */
function isOut({ schedule, weather }: World): boolean {
  return Math.max(weather.downUntil, weather.hungUntil) > schedule.now() - noticeMs;
}

/** Whether the node's heartbeats may have failed for so long that it must refuse calls. */
function isSilenced({ weather }: World, node: SimNode, asked: number): boolean {
  const heardAgain = Math.max(node.troubledAt(), weather.downUntil, weather.hungUntil);
  return !node.isCurrent() || heardAgain >= asked - silencedMaxMs;
}

function freeOf(node: SimNode, { userId, tokenId, tokenLimited }: ReserveInput): number {
  const ofUser = node.judge.free(`user:${userId}`);
  return tokenLimited ? Math.min(ofUser, node.judge.free(`token:${tokenId}`)) : ofUser;
}

/**
 * Checks the hold in memory: on PostgreSQL it must be what the store granted, neither more nor
 * less.
 */
function checkLent({ plan, store, check, lost }: World, id: string, amount: number): void {
  if (lost.has(id)) return;
  const granted = plan.policy === "whole" ? amount : store.reservations.get(id)?.amount;
  check(amount === granted, `call ${id} holds ${amount}, granted ${granted}`);
}

/**
 * Tries reservations with invalid amounts, and one of a call that is already open. All must throw
 * and change nothing.
 */
async function reserveNonsense(world: World, node: SimNode, input: ReserveInput): Promise<void> {
  const open = [...world.open].find(([, call]) => call.node === node && call.covered === null);
  // A call that waits for what its token spent before may find that the other call has ended.
  const isAtOnce = world.plan.policy === "whole" && input.budget === undefined;
  const isJudged = isAtOnce && !node.link.isTroubled() && !node.isLate();
  const id = isJudged && open !== undefined ? open[0] : undefined;
  const nonsense = world.random.pick([
    { ...input, want: -1 },
    { ...input, want: 0.5, least: 0 },
    { ...input, least: Number.NaN },
    { ...input, want: Number.POSITIVE_INFINITY },
    ...(id === undefined ? [] : [{ ...input, id }]),
  ]);
  await expectThrow(world, "nonsense was held", async () => {
    const answer = await node.holds.reserve(nonsense);
    // While the store is unavailable, no invalid reservation is accepted either, so this counts as
    // a refusal.
    if (answer.kind === "unavailable") throw new Error("no store");
  });
}

async function expectThrow(world: World, reason: string, act: () => unknown): Promise<void> {
  try {
    await act();
  } catch {
    return;
  }
  world.fail(reason);
}

/** Plays a streamed call: its cost grows, and it ends when the hold cannot be extended. */
async function stream(world: World, call: OpenCall, id: string): Promise<number> {
  const { random, plan } = world;
  let cost = 0;
  for (let chunks = random.between(1, 6); chunks > 0; chunks -= 1) {
    await world.sleep(call.node, random.between(1, chunkMs));
    cost += random.between(0, Math.ceil(plan.priceMax / 4));
    if (cost <= call.hold.amount()) continue;
    const want = cost - call.hold.amount() + random.between(0, 5);
    // A second extension that does not wait for the first gets nothing more.
    const second = random.chance(0.1) ? call.hold.extend(want) : 0;
    const added = (await call.hold.extend(want)) + (await second);
    world.note(added);
    if (added > 0) world.counts.extended += 1;
    checkCovered(world, call);
    checkLent(world, id, call.hold.amount());
    if (cost > call.hold.amount()) break;
  }
  return cost;
}

/** Plays a call that is not streamed. Returns its cost, which is mostly less than its hold. */
async function answer({ random, sleep }: World, { node, hold }: OpenCall): Promise<number> {
  await sleep(node, random.between(1, 4 * chunkMs));
  const held = hold.amount();
  return random.pick([
    0,
    held,
    random.between(0, held),
    random.between(0, held),
    held + 3,
    2 * held,
  ]);
}

type Ending = { readonly id: string; readonly call: OpenCall; readonly cost: number };

async function end(world: World, { id, call, cost }: Ending): Promise<void> {
  const { random, plan } = world;
  const isAbusive = random.chance(plan.abuse);
  if (isAbusive) {
    const log = logOf(id, call);
    await expectThrow(world, "nonsense was charged", () => {
      const charge = random.pick([-1, 0.5, Number.NaN]);
      return call.hold.settle({ charge, log });
    });
  }
  // One call in ten ends while an extension of its hold is still under way, as when a client
  // disconnects at that moment.
  if (random.chance(0.1)) {
    void call.hold.extend(random.between(1, plan.priceMax));
    await world.sleep(call.node, random.between(0, plan.slowMs));
  }
  if (random.chance(0.15)) release(world, id, call);
  else await settle(world, { id, call, cost });
  if (isAbusive) {
    await expectThrow(world, "a call was released after its end", () => call.hold.release());
    const log = logOf(id, call);
    const again = { charge: cost, log };
    await expectThrow(world, "a call ended twice", () => call.hold.settle(again));
  }
}

function release(world: World, id: string, { hold, node }: OpenCall): void {
  world.open.delete(id);
  hold.release();
  world.counts.released += 1;
  if (world.random.chance(0.5)) return;
  world.promisedFailures.set(id, node);
  const error = { type: "t", code: "c", message: "m" };
  node.holds.recordFailure({ ...template, requestId: id, status: 502, error, fault: "" });
}

async function settle(world: World, { id, call, cost }: Ending): Promise<void> {
  const { check, plan, random, schedule, counts } = world;
  const isRefused = random.chance(plan.abuse);
  const held = call.hold.amount();
  const log = { ...logOf(id, call, isRefused ? refusedContent : ""), ...taskOf(world, id) };
  if (isRefused) world.refusable.add(id);
  call.covered = Math.min(cost, held);
  const asked = schedule.now();
  const settling = call.hold.settle({ charge: cost, log });
  const left = leftOf(world, call);
  const withheld = random.chance(0.1) ? withhold(world, id, call) : null;
  try {
    const { charged, writeOff } = await settling;
    world.note(charged, writeOff);
    counts.settled += 1;
    if (writeOff > 0) counts["written off"] += 1;
    if (schedule.now() - asked > 1_000) counts["late settlement"] += 1;
    if (isRefused) notePending(world, { id, call, charged });
    world.oracle.absorb();
    const isFree = world.store.interrupted.has(id);
    if (isFree) counts["settled free"] += 1;
    check(!isFree || charged === 0, `call ${id} was told to be free`);
    check(
      isFree || isRefused || world.oracle.chargedOf(id) === charged,
      `call ${id} is told another charge`,
    );
    check(charged + writeOff === cost, `call ${id} cost ${cost}, charged ${charged}`);
    const isCovered = isFree || cost > held || writeOff === 0;
    check(isCovered, `call ${id} held ${held}, charged ${charged} of ${cost}`);
    const isOver = call.budget !== undefined;
    check(isOver || writeOff === 0 || left === 0, `call ${id} is written off, ${left} were left`);
  } catch (error) {
    counts["refused settlement"] += 1;
    check(isRefused, `call ${id} was not settled: ${String(error)}`);
    check(world.oracle.chargedOf(id) === undefined, `call ${id} was refused and charged`);
  }
  world.open.delete(id);
  if (random.chance(0.1)) await readBack(world, id, call);
  await withheld;
}

/** Notes a call whose record is in the journal, and which the books will refuse. */
function notePending(
  { check, counts, pending, store }: World,
  { id, call, charged }: { readonly id: string; readonly call: OpenCall; readonly charged: number },
): void {
  const isToBe = store.promised.has(id) || store.refused.some(({ requestId }) => requestId === id);
  check(isToBe, "a settlement that was refused is said to be committed");
  counts["refused settlement"] += 1;
  pending.set(id, { call, charged });
}

/** Checks that who has seen the end of a call finds it in the books. */
async function readBack(world: World, id: string, { node }: OpenCall): Promise<void> {
  if (!(await node.readsBooks())) return;
  world.counts.read += 1;
  world.check(!world.store.promised.has(id), `call ${id} was told, and who reads does not find it`);
}

/**
 * Gives a charge back: the caller does not wait for the store any longer, and gets an answer which
 * says that the call is free.
 */
async function withhold(world: World, id: string, { hold, node }: OpenCall): Promise<void> {
  await world.sleep(node, world.random.between(0, 2 * world.plan.slowMs));
  hold.reverse();
  world.withheld.set(id, node);
  world.counts.reversed += 1;
}

/**
 * Returns the quota that the node's judge could still hold for this user and token once the call is
 * charged; 0 under the exact policy, where only the database knows it.
 */
function leftOf({ plan }: World, { node, userId, token }: OpenCall): number {
  if (plan.policy === "exact") return 0;
  const accounts: AccountKey[] = token.limited
    ? [`user:${userId}`, `token:${token.id}`]
    : [`user:${userId}`];
  return Math.min(...accounts.map(node.judge.free));
}
