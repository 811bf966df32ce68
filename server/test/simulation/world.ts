/** The state that all parts of a simulated world share. */

import type { BudgetClaim, BudgetWindow } from "#modules/ledger/budgets/budgets.ts";
import type { OpenHold } from "#modules/ledger/hold.ts";
import type { Holds, LendPolicy } from "#modules/ledger/holds.ts";
import type { Judge } from "#modules/ledger/judge.ts";
import type { Link } from "./link.ts";
import type { ModelStore } from "./model-store.ts";
import type { Oracle } from "./oracle.ts";
import { type Random, seededRandom } from "#base/testing/random.ts";
import { openSchedule, type Schedule } from "./schedule.ts";
import { lookAgain } from "./transactions.ts";

/**
 * How often things fail in this world. Drawn once per world, so that some worlds have rare
 * combinations.
 */
type Plan = {
  readonly policy: LendPolicy;
  readonly nodeCount: number;
  readonly userCount: number;
  /** The longest a transaction takes, in milliseconds. */
  readonly slowMs: number;
  /**
   * Chances of what may happen to a transaction: it is not done (`fail`), it is done but the answer
   * is lost (`lose`), it throws before or after its changes. On SQLite no answer is lost.
   */
  readonly fail: number;
  readonly lose: number;
  readonly throwBefore: number;
  readonly throwAfter: number;
  /** Mean milliseconds between calls, changes by admins, outages and crashes; 0: none. */
  readonly callMs: number;
  readonly adminMs: number;
  readonly outageMs: number;
  readonly crashMs: number;
  /**
   * Mean milliseconds between troubles, in which a node freezes or is cut off from the store; 0:
   * none.
   */
  readonly troubleMs: number;
  /** The largest hold that a call asks for, in quota units. */
  readonly priceMax: number;
  /** The balance around which admins keep every user, in quota units. */
  readonly wealth: number;
  /** Chance that a call is accompanied by operations with invalid values. */
  readonly abuse: number;
};

/** What blocks one node, and until when, in simulated milliseconds. */
export type Trouble = {
  /** Until when the process is frozen. */
  frozenUntil: number;
  /** Until when the process cannot reach the store. */
  cutUntil: number;
  /** Until when the process's heartbeats do not reach the store; everything else does. */
  deafUntil: number;
};

/** A process. What it keeps in memory is gone when the process is killed. */
export type SimNode = {
  readonly id: string;
  readonly judge: Judge;
  readonly holds: Holds;
  readonly link: Link;
  readonly trouble: Trouble;
  /** When a fault last blocked the node, in simulated milliseconds. */
  readonly troubledAt: () => number;
  /** Whether, as far as the node knows, no other node may take it for dead. */
  readonly isCurrent: () => boolean;
  /** Sends a heartbeat. Does not throw. */
  beat(): Promise<void>;
  readonly isAlive: () => boolean;
  /** Number of operations that wait for the store. */
  readonly waiting: () => number;
  /** Whether no operation waits or is in flight. */
  readonly isIdle: () => boolean;
  /** Whether a batch takes so long that the node takes no calls. */
  readonly isLate: () => boolean;
  /** When this node's operations were last slow or failed, in simulated milliseconds. */
  readonly storeTroubledAt: () => number;
  /** Writes as the console does, once the books have what was committed before. */
  write<Result>(apply: () => Result): Promise<Result>;
  /** Waits for the books as readers do. @returns false: they may lack something. */
  readsBooks(): Promise<boolean>;
  kill(): void;
};

export type SimUser = { readonly id: number; readonly tokens: readonly SimToken[] };
/** A token of a user. Id 0: no token, as in the playground. */
export type SimToken = {
  readonly id: number;
  readonly limited: boolean;
  /** What the token may spend in each window of `calls.ts`; 0: it has no budgets. */
  readonly budget: number;
};

/** A call, from its start until its end is committed and the node knows it. */
export type OpenCall = {
  readonly node: SimNode;
  readonly userId: number;
  readonly token: SimToken;
  readonly hold: OpenHold;
  readonly budget: BudgetClaim | undefined;
  /** The part of the call's pending charge that its hold covers; null: the call still runs. */
  covered: number | null;
};

/** The lengths of the windows of budgets, in simulated milliseconds. */
const windowMs = { day: 2_000, week: 30_000 } as const;

/** Returns the windows of a budget that contain a time; the longer one allows three times as much. */
export function windowsAt(at: number, budget: number): readonly BudgetWindow[] {
  const windowOf = (kind: "day" | "week", limit: number): BudgetWindow => {
    const start = at - (at % windowMs[kind]);
    return { kind, start, end: start + windowMs[kind], limit };
  };
  return [windowOf("day", budget), windowOf("week", 3 * budget)];
}

type Happening =
  | "crash"
  | "died with records"
  | "extended"
  | "fenced"
  | "held"
  | "interrupted"
  | "journaled"
  | "late settlement"
  | "outage"
  | "read"
  | "recovered"
  | "in-debt"
  | "over-budget"
  | "refused"
  | "refused settlement"
  | "refused withdrawal"
  | "released"
  | "reversed"
  | "sent again"
  | "sent one by one"
  | "settled"
  | "settled free"
  | "thought dead"
  | "trouble"
  | "unavailable"
  | "written off";

export type World = {
  readonly plan: Plan;
  readonly random: Random;
  readonly schedule: Schedule;
  readonly store: ModelStore;
  readonly oracle: Oracle;
  readonly users: SimUser[];
  readonly nodes: SimNode[];
  /** Number of processes that are starting as nodes. */
  starting: number;
  /** Calls that run although their node's epoch has ended, so that they have no hold. */
  readonly lost: Set<string>;
  readonly open: Map<string, OpenCall>;
  /** Failed calls that must have a log row at the end, with the node that promised the row. */
  readonly promisedFailures: Map<string, SimNode>;
  /** Settlements that the books refuse, by request id. */
  readonly refusable: Set<string>;
  /** What calls were told to cost that the books refuse, by request id. */
  readonly pending: Map<string, { readonly call: OpenCall; readonly charged: number }>;
  /** Settled calls whose charge must be given back in the end, with the node that promised it. */
  readonly withheld: Map<string, SimNode>;
  readonly weather: { downUntil: number; hungUntil: number };
  /** True: no new calls and faults begin, so that everything comes to rest. */
  closing: boolean;
  /** Returns a number that was not used before, as an id of a call, cause, node, user or token. */
  newId(): number;
  /** Waits in simulated time. Never resolves when the process dies meanwhile. */
  sleep(node: SimNode, ms: number): Promise<void>;
  /** Adds an event to the trace, which must be equal in two runs of a seed. */
  note(...values: readonly number[]): void;
  traceHash(): string;
  /** How many events of each kind occurred: a world without events proves nothing. */
  readonly counts: Record<Happening, number>;
  /** Reports a violation. The first one ends the run. */
  fail(reason: string): void;
  check(holds: boolean, reason: string): void;
  readonly failure: () => string | null;
};

function drawPlan(random: Random, policy: LendPolicy): Plan {
  const priceMax = random.pick([3, 20, 300]);
  const sometimes = (value: number): number => (random.chance(0.5) ? value : 0);
  const troubleMs = policy === "whole" ? 0 : sometimes(random.pick([5_000, 10_000]));
  // With troubles a world must last longer than a few seconds, so that nodes can count as dead.
  const callMs = random.pick(troubleMs > 0 ? [30, 60, 100] : [2, 10, 30, 30, 100]);
  const adminMs = random.pick([400, 1_000, 4_000]);
  // The quota that calls want between two changes by admins. The admins' wealth is drawn from this:
  // too little, enough or plenty.
  const demand = priceMax * Math.ceil(adminMs / callMs);
  return {
    policy,
    nodeCount: policy === "whole" ? 1 : random.between(troubleMs > 0 ? 2 : 1, 3),
    userCount: random.between(1, 4),
    slowMs: random.pick([2, 10, 60, 150]),
    fail: sometimes(random.pick([0.005, 0.05])),
    lose: policy === "whole" ? 0 : sometimes(random.pick([0.01, 0.2])),
    throwBefore: sometimes(random.pick([0.01, 0.2])),
    throwAfter: policy === "whole" ? 0 : sometimes(random.pick([0.01, 0.2])),
    callMs,
    adminMs,
    outageMs: sometimes(random.pick([2_000, 15_000])),
    crashMs: sometimes(random.pick([4_000, 20_000])),
    troubleMs,
    priceMax,
    wealth: Math.ceil(demand * random.pick([0.2, 0.6, 3])),
    abuse: sometimes(0.03),
  };
}

/**
 * Returns how a seed's world lends quota: worlds of even seeds work like SQLite, those of odd seeds
 * like PostgreSQL.
 */
export function policyOf(seed: number): LendPolicy {
  return seed % 2 === 0 ? "whole" : "exact";
}

export function openWorld(
  seed: number,
  parts: {
    openStore: (plan: Plan, now: () => number) => ModelStore;
    openOracle: (store: ModelStore, isRefusable: (requestId: string) => boolean) => Oracle;
  },
): World {
  const random = seededRandom(seed);
  const plan = drawPlan(random, policyOf(seed));
  const schedule = openSchedule(random);
  const store = parts.openStore(plan, schedule.now);
  const refusable = new Set<string>();
  let ids = 0;
  // Two 32-bit FNV-1a hashes with different starts.
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  let failure: string | null = null;

  function note(...values: readonly number[]): void {
    for (const value of values) {
      low = Math.imul(low ^ value, 0x01000193);
      high = Math.imul(high ^ (value + 1), 0x01000193) ^ (low >>> 15);
    }
  }

  function fail(reason: string): void {
    failure ??= reason;
  }

  return {
    plan,
    random,
    schedule,
    store,
    oracle: parts.openOracle(store, (requestId) => refusable.has(requestId)),
    users: [],
    nodes: [],
    starting: 0,
    lost: new Set(),
    open: new Map(),
    promisedFailures: new Map(),
    refusable,
    pending: new Map(),
    withheld: new Map(),
    weather: { downUntil: 0, hungUntil: 0 },
    closing: false,
    newId: () => (ids += 1),
    sleep: (node, ms) =>
      new Promise((resolve) => {
        const wake = (): void => {
          const frozenMs = node.trouble.frozenUntil - schedule.now();
          if (frozenMs > 0) schedule.after(lookAgain(frozenMs) + random.between(0, 3), wake);
          else if (node.isAlive()) resolve();
        };
        schedule.after(ms, wake);
      }),
    note,
    traceHash: () => hex(high) + hex(low),
    counts: noCounts(),
    fail,
    check(holds, reason) {
      if (!holds) fail(reason);
    },
    failure: () => failure,
  };
}

function noCounts(): Record<Happening, number> {
  return {
    crash: 0,
    "died with records": 0,
    extended: 0,
    fenced: 0,
    held: 0,
    interrupted: 0,
    journaled: 0,
    "late settlement": 0,
    outage: 0,
    read: 0,
    recovered: 0,
    "in-debt": 0,
    "over-budget": 0,
    refused: 0,
    "refused settlement": 0,
    "refused withdrawal": 0,
    released: 0,
    reversed: 0,
    "sent again": 0,
    "sent one by one": 0,
    settled: 0,
    "settled free": 0,
    "thought dead": 0,
    trouble: 0,
    unavailable: 0,
    "written off": 0,
  };
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
