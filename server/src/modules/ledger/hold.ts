/**
 * The hold of a call, from reservation to settlement or release, under both policies of granting.
 */

import type { ChargedCallLog } from "#canonical/call-log.ts";
import { type AccountKey, type Judge, whole } from "./judge.ts";
import type { Operation, OperationResult, ReservationFacts } from "./operations.ts";
import type { OperationQueue } from "./queue.ts";

export type ReserveInput = Omit<ReservationFacts, "atMs"> & {
  readonly want: number;
  readonly least: number;
};

export type OpenHold = {
  amount(): number;
  extend(want: number): number | Promise<number>;
  settle(settlement: {
    readonly charge: number;
    readonly log: ChargedCallLog;
  }): Promise<{ readonly charged: number; readonly writeOff: number }>;
  /** Gives back what `settle` charged or will charge. Once, after `settle`, and not awaited. */
  reverse(): void;
  release(): void;
};

type Deps = {
  readonly judge: Judge;
  readonly queue: OperationQueue;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** A settlement of so many quota units was given back. */
  readonly onReversed: (amount: number) => void;
};

/** The judge decides in memory; the database is informed afterwards. */
export function wholeHold(deps: Deps, input: ReserveInput): OpenHold {
  const { judge, queue } = deps;
  const { id, tokenLimited, userId, tokenId } = input;
  let settlement: Settlement | undefined;
  return {
    amount: () => judge.amountOf(id) ?? 0,
    extend: (want) => judge.extend(id, want),
    async settle({ charge, log }) {
      const { charged } = judge.settle(id, charge);
      settlement = { type: "settle", id, tokenLimited, charge, charged, log };
      return await pushSettlement(queue, settlement, () => lend(judge, input, charged));
    },
    reverse: () => pushReversal(deps, settlement, (amount) => lend(judge, input, amount)),
    release() {
      judge.release(id);
      pushAndForget(queue, { type: "release", id, userId, tokenId });
    },
  };
}

/** The database decides; the judge in memory holds only what was granted for this call. */
export function exactHold(deps: Deps, input: ReserveInput): OpenHold {
  const { judge, queue } = deps;
  const { id, tokenLimited, userId, tokenId } = input;
  let settlement: Settlement | undefined;
  /**
   * Extensions run one at a time: by `before` the database sees whether it has made one already.
   */
  let extended: Promise<unknown> = Promise.resolve();

  /** Returns the whole grant: the database has charged it or taken it back. */
  function end(): void {
    const amount = judge.amountOf(id) ?? 0;
    judge.release(id);
    for (const account of accountsOf(input)) judge.recall(account, amount);
  }

  async function extendNow(want: number): Promise<number> {
    const before = judge.amountOf(id);
    if (before === undefined) return 0;
    const operation = { type: "more", id, userId, tokenId, tokenLimited, before, want } as const;
    const amount = takenOf(await queue.push(operation));
    // The call may have ended during the request; its end has returned the grant.
    if (judge.amountOf(id) === undefined) return 0;
    for (const account of accountsOf(input)) judge.grant(account, amount);
    return judge.extend(id, amount);
  }

  return {
    amount: () => judge.amountOf(id) ?? 0,
    async extend(want) {
      whole(want);
      const extending = extended.then(async () => await extendNow(want));
      extended = extending.catch(() => {});
      return await extending;
    },
    async settle({ charge, log }) {
      whole(charge);
      end();
      settlement = { type: "settle", id, tokenLimited, charge, charged: null, log };
      return await pushSettlement(queue, settlement, () => {});
    },
    reverse: () => pushReversal(deps, settlement, () => {}),
    release() {
      end();
      pushAndForget(queue, { type: "release", id, userId, tokenId });
    },
  };
}

/** The accounts that a call's quota is held on. */
export function accountsOf(input: ReserveInput): readonly AccountKey[] {
  const user: AccountKey = `user:${input.userId}`;
  return input.tokenLimited ? [user, `token:${input.tokenId}`] : [user];
}

export function takenOf(result: OperationResult): number {
  return result.type === "taken" ? result.amount : 0;
}

/** Not awaited; the queue reports failures. */
export function pushAndForget(queue: OperationQueue, operation: Operation): void {
  queue.push(operation).catch(() => {});
}

/** Grants the judge quota that it may hold and spend. */
function lend(judge: Judge, input: ReserveInput, amount: number): void {
  for (const account of accountsOf(input)) judge.grant(account, amount);
}

type Settlement = Operation & { readonly type: "settle" };

/**
 * The queue keeps the order: if the settlement is ever written, it is written before the reversal.
 * @param undo is called with the amount that was given back.
 */
function pushReversal(
  { queue, now, onReversed }: Deps,
  settlement: Settlement | undefined,
  undo: (amount: number) => void,
): void {
  if (settlement === undefined) throw new Error("what was not settled cannot be given back");
  const { id, tokenLimited, charge, log } = settlement;
  const giveBack = (result: OperationResult): void => {
    if (result.type !== "reversed" || result.amount === 0) return;
    undo(result.amount);
    onReversed(result.amount);
  };
  queue
    .push({ type: "reverse", id, tokenLimited, charge, log, atMs: now() })
    .then(giveBack, () => {});
}

/**
 * If the database refuses the settlement permanently, nothing was charged, and `undo` restores the
 * rest.
 */
async function pushSettlement(
  queue: OperationQueue,
  settlement: Settlement,
  undo: () => void,
): Promise<{ charged: number; writeOff: number }> {
  try {
    const result = await queue.push(settlement);
    if (result.type !== "settled") throw new Error(`a settlement ended as ${result.type}`);
    return { charged: result.charged, writeOff: result.writeOff };
  } catch (error) {
    undo();
    const { userId, tokenId } = settlement.log;
    pushAndForget(queue, { type: "release", id: settlement.id, userId, tokenId });
    throw error;
  }
}
