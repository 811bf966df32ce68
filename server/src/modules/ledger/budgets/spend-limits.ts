/**
 * The spend stop: root's limits on what each user may spend in an hour, and all users together in a
 * minute. The sums contain what was charged and what running calls hold. They are kept in memory by
 * each node; where several nodes share the database, each allows its part of the limit.
 */

import type { OpenHold } from "#modules/ledger/hold.ts";

/** The limits in quota units; 0: no limit. */
export type SpendRules = { readonly userHour: number; readonly gatewayMinute: number };

type SpendLimitsDeps = {
  /** The number of nodes that share the database. */
  readonly nodeCount: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
};

/** The call is over a limit: it may be sent again after some seconds. */
export type OverLimit = {
  readonly kind: "over-limit";
  readonly by: "gateway" | "user";
  /** The limit of this node, in quota units. */
  readonly most: number;
  readonly retryAfterSeconds: number;
};

export type SpendLimits = {
  /** Returns how much a call of the user may hold; 0 or less: nothing. */
  left(rules: SpendRules, userId: number): number;
  /** Makes the answer to a call that may hold too little. */
  refusal(rules: SpendRules, userId: number): OverLimit;
  /** Counts what the hold holds and is charged, and keeps its extensions within the limits. */
  watch(rules: SpendRules, userId: number, hold: OpenHold): OpenHold;
};

/** Sums by slices of the time; the oldest slice is dropped as a whole. */
type Sum = { held: number; readonly slices: number[]; slice: number; total: number };

const slicesPerWindow = 60;
const hourSliceMs = 60_000;
const minuteSliceMs = 1_000;

/** When sums of more users are kept, those without calls in the last hour are dropped. */
const usersMax = 20_000;

export function openSpendLimits({ nodeCount, elapsed }: SpendLimitsDeps): SpendLimits {
  const gateway = openSum();
  const users = new Map<number, Sum>();

  function userSum(userId: number): Sum {
    const known = users.get(userId);
    if (known !== undefined) return known;
    if (users.size >= usersMax) dropIdle();
    const made = openSum();
    users.set(userId, made);
    return made;
  }

  function dropIdle(): void {
    for (const [userId, sum] of users) {
      if (sum.held === 0 && spentOf(sum, hourSliceMs, elapsed()) === 0) users.delete(userId);
    }
  }

  const share = (limit: number): number => Math.floor(limit / Math.max(1, nodeCount()));

  function leftOfUser({ userHour }: SpendRules, userId: number): number {
    if (userHour === 0) return Infinity;
    const sum = userSum(userId);
    return share(userHour) - sum.held - spentOf(sum, hourSliceMs, elapsed());
  }

  function leftOfGateway({ gatewayMinute }: SpendRules): number {
    if (gatewayMinute === 0) return Infinity;
    return share(gatewayMinute) - gateway.held - spentOf(gateway, minuteSliceMs, elapsed());
  }

  const left = (rules: SpendRules, userId: number): number =>
    Math.min(leftOfUser(rules, userId), leftOfGateway(rules));

  return {
    left,
    refusal(rules, userId) {
      const isUser = leftOfUser(rules, userId) <= leftOfGateway(rules);
      return {
        kind: "over-limit",
        by: isUser ? "user" : "gateway",
        most: share(isUser ? rules.userHour : rules.gatewayMinute),
        retryAfterSeconds: (isUser ? hourSliceMs : minuteSliceMs) / 1_000,
      };
    },
    watch: (rules, userId, hold) =>
      watched({
        hold,
        sums: [
          { sum: userSum(userId), sliceMs: hourSliceMs },
          { sum: gateway, sliceMs: minuteSliceMs },
        ],
        left: () => left(rules, userId),
        elapsed,
      }),
  };
}

type Watched = {
  readonly hold: OpenHold;
  readonly sums: readonly { readonly sum: Sum; readonly sliceMs: number }[];
  /** How much more may be held, in quota units. */
  readonly left: () => number;
  readonly elapsed: () => number;
};

/** Counts a hold in the sums until it ends. */
function watched({ hold, sums, left, elapsed }: Watched): OpenHold {
  let held = 0;
  let isLimited = false;
  const count = (amount: number): void => {
    held += amount;
    for (const { sum } of sums) sum.held += amount;
  };
  const end = (spent: number): void => {
    count(-held);
    for (const { sum, sliceMs } of sums) spend(sum, spent, sliceMs, elapsed());
  };
  count(hold.amount());
  return {
    amount: () => hold.amount(),
    async extend(want) {
      const most = Math.min(want, left());
      isLimited = most <= 0;
      if (isLimited) return 0;
      // Counted before the database answers, so that several extensions at once stay within the
      // limits.
      count(most);
      const added = await hold.extend(most);
      count(added - most);
      return added;
    },
    shortOf: () => (isLimited ? "limit" : hold.shortOf()),
    async settle(settlement) {
      end(settlement.charge);
      return await hold.settle(settlement);
    },
    reverse: () => hold.reverse(),
    release() {
      end(0);
      hold.release();
    },
  };
}

function openSum(): Sum {
  return { held: 0, slices: Array.from({ length: slicesPerWindow }, () => 0), slice: 0, total: 0 };
}

/** Drops the slices that are older than the window. */
function advance(sum: Sum, sliceMs: number, nowMs: number): void {
  const slice = Math.floor(nowMs / sliceMs);
  const passed = Math.min(slice - sum.slice, slicesPerWindow);
  for (let step = 1; step <= passed; step += 1) {
    const index = (slice - passed + step) % slicesPerWindow;
    sum.total -= sum.slices[index] ?? 0;
    sum.slices[index] = 0;
  }
  sum.slice = slice;
}

function spentOf(sum: Sum, sliceMs: number, nowMs: number): number {
  advance(sum, sliceMs, nowMs);
  return sum.total;
}

function spend(sum: Sum, amount: number, sliceMs: number, nowMs: number): void {
  advance(sum, sliceMs, nowMs);
  const index = sum.slice % slicesPerWindow;
  sum.slices[index] = (sum.slices[index] ?? 0) + amount;
  sum.total += amount;
}
