/** What a call holds from its reservation to its one end, by either policy of granting. */

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
  release(): void;
};

type Deps = { readonly judge: Judge; readonly queue: OperationQueue };

/** Judged in memory; the database is told. */
export function wholeHold({ judge, queue }: Deps, input: ReserveInput): OpenHold {
  const { id, tokenLimited, userId, tokenId } = input;
  return {
    amount: () => judge.amountOf(id) ?? 0,
    extend: (want) => judge.extend(id, want),
    async settle({ charge, log }) {
      const { charged } = judge.settle(id, charge);
      const lendBack = (): void => {
        for (const account of accountsOf(input)) judge.grant(account, charged);
      };
      const operation = { type: "settle", id, tokenLimited, charge, charged, log } as const;
      return await pushSettlement(queue, operation, lendBack);
    },
    release() {
      judge.release(id);
      pushAndForget(queue, { type: "release", id, userId, tokenId });
    },
  };
}

/** Judged by the database; memory holds what was granted for this call, and nothing else. */
export function exactHold({ judge, queue }: Deps, input: ReserveInput): OpenHold {
  const { id, tokenLimited, userId, tokenId } = input;
  /** One at a time: `before` tells the database whether it did this one already. */
  let extended: Promise<unknown> = Promise.resolve();

  /** Nothing of what was granted stays here: the database has taken it or has it back. */
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
    // The call may have ended while the database was asked; its end gave everything back.
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
      const operation = { type: "settle", id, tokenLimited, charge, charged: null, log } as const;
      return await pushSettlement(queue, operation, () => {});
    },
    release() {
      end();
      pushAndForget(queue, { type: "release", id, userId, tokenId });
    },
  };
}

/** Accounts a call is held on. */
export function accountsOf(input: ReserveInput): readonly AccountKey[] {
  const user: AccountKey = `user:${input.userId}`;
  return input.tokenLimited ? [user, `token:${input.tokenId}`] : [user];
}

export function takenOf(result: OperationResult): number {
  return result.type === "taken" ? result.amount : 0;
}

/** The caller does not wait; what fails here was told by the queue. */
export function pushAndForget(queue: OperationQueue, operation: Operation): void {
  queue.push(operation).catch(() => {});
}

/** A settlement that is refused for good charged nothing: `undo` says what else to forget. */
async function pushSettlement(
  queue: OperationQueue,
  settlement: Operation & { type: "settle" },
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
