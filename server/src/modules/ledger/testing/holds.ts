/** Holds for tests: the test controls the time and what the database answers. */

import type { PayDebt } from "#modules/ledger/debts/debtors.ts";
import type { OpenHold, ReserveInput } from "#modules/ledger/hold.ts";
import { type LendPolicy, openHolds } from "#modules/ledger/holds.ts";
import { openJudge } from "#modules/ledger/judge.ts";
import type { Operation, OperationResult } from "#modules/ledger/operations.ts";
import { openQueue, type SendAnswer } from "#modules/ledger/queue.ts";

const done: OperationResult = { type: "done" };
const nothingPaid: PayDebt = async () => ({ posted: null });

/**
 * Opens holds over a stand-in for the database that answers what `store.answer` returns. User 7 has
 * a balance of 100, and token 3 a quota of 60.
 */
export function openTestHolds(policy: LendPolicy) {
  const operations: Operation[] = [];
  const store = {
    isCurrent: true,
    payDebt: nothingPaid,
    isCatchingUp: false,
    /** What the database answers to an operation. Null: it does not answer. */
    answer: (operation: Operation): OperationResult | SendAnswer | null =>
      operation.type === "settle"
        ? { type: "settled", charged: operation.charged ?? operation.charge, writeOff: 0 }
        : done,
  };
  let elapsed = 5_000;
  const timers: { readonly at: number; readonly run: () => void }[] = [];
  const wait = (ms: number): Promise<void> =>
    new Promise((run) => void timers.push({ at: elapsed + ms, run }));

  async function send({ operations: batch }: { operations: readonly Operation[] }) {
    operations.push(...batch);
    const results: OperationResult[] = [];
    for (const operation of batch) {
      const answer = store.answer(operation);
      if (answer === null) return await new Promise<SendAnswer>(() => {});
      if ("kind" in answer) return answer;
      results.push(answer);
    }
    return { kind: "committed", results } as const;
  }

  const judge = openJudge();
  const queue = openQueue({
    nodeId: "n",
    epoch: () => 1,
    rejoin: async () => {},
    send,
    elapsed: () => elapsed,
    wait,
    onRefused() {},
    onStoreState() {},
  });
  const holds = openHolds({
    policy,
    judge,
    queue: { ...queue, caughtUp: async () => store.isCatchingUp },
    isCurrent: () => store.isCurrent,
    now: () => 1_000,
    wait,
    payDebt: async (...asked) => await store.payDebt(...asked),
  });
  const grants = [["user:7", 100] as const, ["token:3", 60] as const];
  if (policy === "whole") for (const [account, amount] of grants) judge.grant(account, amount);
  /** Moves the simulated time forward and runs the timers that become due, in their order. */
  async function pass(ms: number): Promise<void> {
    const end = elapsed + ms;
    await soon();
    for (;;) {
      const next = timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      timers.splice(timers.indexOf(next), 1);
      elapsed = next.at;
      next.run();
      await soon();
    }
    elapsed = end;
  }

  async function hold(input: Partial<ReserveInput> = {}): Promise<OpenHold> {
    const answer = await holds.reserve({ ...call, ...input });
    if (answer.kind !== "held") throw new Error(`not held but ${answer.kind}`);
    return answer.hold;
  }

  const sent = (): string[] => operations.map(({ type }) => type);
  return { holds, judge, queue, store, operations, sent, pass, hold };
}

/** Lets all pending work run, except work that waits for an answer or the clock of the test. */
export async function soon(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** A call of user 7 that needs to hold 40 quota units. */
export const call: ReserveInput = {
  id: "r1",
  userId: 7,
  tokenId: 3,
  tokenLimited: false,
  modelName: "m",
  group: "default",
  want: 40,
  least: 40,
};
