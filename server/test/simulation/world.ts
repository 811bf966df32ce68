/** The state that all parts of a simulated world share. */

import type { OpenHold } from "#modules/ledger/hold.ts";
import type { Holds, LendPolicy } from "#modules/ledger/holds.ts";
import type { Judge } from "#modules/ledger/judge.ts";
import type { Link } from "./link.ts";
import type { ModelStore } from "./model-store.ts";
import type { Oracle } from "./oracle.ts";
import { type Random, seededRandom } from "#base/testing/random.ts";
import { openSchedule, type Schedule } from "./schedule.ts";

/** How often things fail in this world. Drawn once, so that some worlds have rare combinations. */
type Plan = {
  readonly policy: LendPolicy;
  readonly nodeCount: number;
  readonly userCount: number;
  /** Longest a transaction takes, in milliseconds. */
  readonly slowMs: number;
  /**
   * Chances of a transaction: not done; done, but nobody hears; thrown before; thrown after. A
   * process that owns its file always hears.
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
  /** Most a call wants held. */
  readonly priceMax: number;
  /** Roughly the balance that admins keep users at. */
  readonly wealth: number;
  /** Chance that a call misbehaves. */
  readonly abuse: number;
};

/** A process. Its memory is lost when it is killed. */
export type SimNode = {
  readonly id: string;
  readonly judge: Judge;
  readonly holds: Holds;
  readonly link: Link;
  readonly isAlive: () => boolean;
  /** Operations that wait for the store. */
  readonly waiting: () => number;
  /** None does, and none is on its way. */
  readonly isIdle: () => boolean;
  kill(): void;
};

export type SimUser = { readonly id: number; readonly tokens: readonly SimToken[] };
/** Id 0: none, as in the playground. */
export type SimToken = { readonly id: number; readonly limited: boolean };

/** A call, from its start until its end is known to be committed. */
export type OpenCall = {
  readonly node: SimNode;
  readonly userId: number;
  readonly token: SimToken;
  readonly hold: OpenHold;
  /** The part of a pending charge that the hold covers; null: the call runs. */
  covered: number | null;
};

type Happening =
  | "crash"
  | "extended"
  | "held"
  | "interrupted"
  | "late settlement"
  | "outage"
  | "refused"
  | "refused settlement"
  | "refused withdrawal"
  | "released"
  | "sent again"
  | "sent one by one"
  | "settled"
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
  /** When processes died, in simulated milliseconds. */
  readonly dead: Map<string, number>;
  readonly open: Map<string, OpenCall>;
  /** Failed calls whose row must exist when all is done, with who promised it. */
  readonly promisedFailures: Map<string, SimNode>;
  readonly weather: { downUntil: number; hungUntil: number };
  /** True: no new calls and faults, so that everything comes to rest. */
  closing: boolean;
  /** Numbers calls, causes, nodes, users and tokens. */
  newId(): number;
  /** Resolves later, unless the process died meanwhile. */
  sleep(node: SimNode, ms: number): Promise<void>;
  /** Adds an event to the trace, which must be equal in two runs of a seed. */
  note(...values: readonly number[]): void;
  traceHash(): string;
  /** Count of events by kind: a world without events proves nothing. */
  readonly counts: Record<Happening, number>;
  /** Reports a violation. The first one ends the run. */
  fail(reason: string): void;
  check(holds: boolean, reason: string): void;
  readonly failure: () => string | null;
};

function drawPlan(random: Random, policy: LendPolicy): Plan {
  const priceMax = random.pick([3, 20, 300]);
  const callMs = random.pick([2, 10, 30, 30, 100]);
  const adminMs = random.pick([400, 1_000, 4_000]);
  // What calls would spend between two changes by admins, who give too little, enough or plenty.
  const demand = priceMax * Math.ceil(adminMs / callMs);
  const sometimes = (value: number): number => (random.chance(0.5) ? value : 0);
  return {
    policy,
    nodeCount: policy === "whole" ? 1 : random.between(1, 3),
    userCount: random.between(1, 4),
    slowMs: random.pick([2, 10, 60, 150]),
    fail: sometimes(random.pick([0.005, 0.05])),
    lose: policy === "whole" ? 0 : sometimes(random.pick([0.01, 0.2])),
    throwBefore: sometimes(random.pick([0.01, 0.2])),
    throwAfter: policy === "whole" ? 0 : sometimes(random.pick([0.01, 0.2])),
    callMs,
    adminMs,
    outageMs: sometimes(random.pick([3_000, 20_000])),
    crashMs: sometimes(random.pick([4_000, 20_000])),
    priceMax,
    wealth: Math.ceil(demand * random.pick([0.2, 0.6, 3])),
    abuse: sometimes(0.03),
  };
}

/** Worlds of even seeds are SQLite's, those of odd seeds PostgreSQL's. */
export function policyOf(seed: number): LendPolicy {
  return seed % 2 === 0 ? "whole" : "exact";
}

export function openWorld(
  seed: number,
  parts: { openStore: (plan: Plan) => ModelStore; openOracle: (store: ModelStore) => Oracle },
): World {
  const random = seededRandom(seed);
  const plan = drawPlan(random, policyOf(seed));
  const schedule = openSchedule(random);
  const store = parts.openStore(plan);
  let ids = 0;
  // Two FNV-1a of 32 bits with different starts.
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
    oracle: parts.openOracle(store),
    users: [],
    nodes: [],
    dead: new Map(),
    open: new Map(),
    promisedFailures: new Map(),
    weather: { downUntil: 0, hungUntil: 0 },
    closing: false,
    newId: () => (ids += 1),
    sleep: (node, ms) =>
      new Promise((resolve) => {
        schedule.after(ms, () => {
          if (node.isAlive()) resolve();
        });
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
    extended: 0,
    held: 0,
    interrupted: 0,
    "late settlement": 0,
    outage: 0,
    refused: 0,
    "refused settlement": 0,
    "refused withdrawal": 0,
    released: 0,
    "sent again": 0,
    "sent one by one": 0,
    settled: 0,
    unavailable: 0,
    "written off": 0,
  };
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
