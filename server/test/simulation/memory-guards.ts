/**
 * Guards in the judge, the holds and the queue. Each entry has a line that protects money, and the
 * code that replaces it when the guard is removed.
 */

import type { LendPolicy } from "#modules/ledger/holds.ts";

export type Guard = {
  readonly name: string;
  /** The policy of the worlds in which the guard matters; absent: all worlds. */
  readonly policy?: LendPolicy;
  /** Path of the file with the guard, relative to `server/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /**
   * True: the removal is noticed only when a node freezes at one particular moment, which happens
   * in few worlds.
   */
  readonly isRare?: true;
  /**
   * The seed to begin with, where those before it are known to show nothing. A change of the worlds
   * moves it.
   */
  readonly firstSeed?: number;
};

const judge = "src/modules/ledger/judge.ts";
const hold = "src/modules/ledger/hold.ts";
const holds = "src/modules/ledger/holds.ts";
const queue = "src/modules/ledger/queue.ts";
const membership = "src/modules/ledger/membership.ts";

export const memoryGuards: readonly Guard[] = [
  {
    name: "a call is refused when less is free than it needs",
    policy: "whole",
    file: judge,
    from: "if (scarcest.amount < whole(least)) return",
    to: "if (scarcest.amount < 0) return",
  },
  {
    name: "a hold is no more than is free",
    policy: "whole",
    file: judge,
    from: "hold(reservation, Math.min(want, scarcest.amount, left));",
    to: "hold(reservation, want);",
  },
  {
    name: "a hold is on the token as well",
    policy: "whole",
    file: judge,
    from: "if (found === undefined || amount < found.amount) found",
    to: "if (found === undefined) found",
  },
  {
    name: "a call is reserved once",
    policy: "whole",
    file: judge,
    from: "if (reservations.has(id)) throw",
    to: "if (id === null) throw",
  },
  {
    name: "an extension is no more than is free",
    policy: "whole",
    file: judge,
    from: "const amount = Math.min(whole(want), leastFree(reservation.accounts).amount, left);",
    to: "const amount = whole(want);",
  },
  {
    name: "a charge is no more than is free",
    policy: "whole",
    file: judge,
    from: "const charged = Math.min(charge, leastFree(keys).amount, left);",
    to: "const charged = charge;",
  },
  {
    name: "a charge above the hold takes what is free",
    policy: "whole",
    file: judge,
    from: "const left = scarce === undefined ? charge : Math.max(amount, freeOf(scarce));",
    to: "const left = amount;",
  },
  {
    name: "what was charged is not free any more",
    policy: "whole",
    file: judge,
    from: "account(key).granted -= charged;",
    to: "",
  },
  {
    name: "what ended holds nothing any more",
    file: judge,
    from: "for (const key of reservation.accounts) account(key).held -= reservation.amount;",
    to: "",
  },
  {
    name: "what ended is not open any more",
    file: judge,
    from: "reservations.delete(id);",
    to: "",
  },
  {
    name: "what is held cannot be recalled",
    policy: "whole",
    file: judge,
    from: "if (free(key) < whole(amount)) return false;",
    to: "",
  },
  {
    name: "what was recalled is not free any more",
    file: judge,
    from: "account(key).granted -= amount;",
    to: "",
  },
  {
    name: "an amount is whole and not negative",
    file: judge,
    from: "if (!Number.isSafeInteger(amount) || amount < 0) throw",
    to: "if (typeof amount !== 'number') throw",
  },
  {
    name: "no call starts while the store does not commit",
    file: holds,
    from: "deps.isCurrent() && !queue.failing() && queue.length() <= queueMax",
    to: "deps.isCurrent()",
  },
  {
    name: "a call does not wait for ever for a store that does not commit",
    file: holds,
    from: "for (let waited = 0; waited < storeWaitMs; waited += storeWaitStepMs) {",
    to: "for (;;) {",
  },
  {
    name: "a call does not wait for ever for its hold",
    policy: "exact",
    file: holds,
    from: "const result = await Promise.race([taking, late]);",
    to: "const result = await taking.finally(() => late);",
  },
  {
    name: "what is granted to a call that was turned away goes back",
    policy: "exact",
    file: holds,
    from: "taking.then(giveBack, () => {});",
    to: "taking.then(() => giveBack, () => {});",
  },
  {
    name: "amounts are looked at before anything is asked",
    policy: "exact",
    file: holds,
    from: `    whole(input.want);
    whole(input.least);`,
    to: "",
  },
  {
    name: "a process that owns the balances tells the store what it holds",
    policy: "whole",
    file: holds,
    from: `  deps.queue.post({
    type: "open",
    facts: factsOf(input, deps.now()),
    amount: decision.amount,
  });`,
    to: "",
  },
  {
    name: "the console takes nothing that is held",
    policy: "whole",
    file: holds,
    from: "if (!judge.recall(account, -amount)) {",
    to: "if (!judge.recall(account, -amount) && amount === 0) {",
  },
  {
    name: "what the console could not take is free again",
    policy: "whole",
    file: holds,
    from: "      judge.grant(account, -amount);",
    to: "",
  },
  {
    name: "a credit is granted",
    policy: "whole",
    file: holds,
    from: `      const result = await write();
      judge.grant(account, amount);
      return result;`,
    to: "      return await write();",
  },
  {
    name: "a credit is granted once it is committed",
    policy: "whole",
    file: holds,
    from: `      const result = await write();
      judge.grant(account, amount);`,
    to: `      judge.grant(account, amount);
      const result = await write();`,
  },
  {
    name: "a new user's balance is granted",
    policy: "whole",
    file: holds,
    from: `if (policy === "whole" && amount > 0) judge.grant(account, amount);`,
    to: "",
  },
  {
    name: "a node that is granted what it needs is not granted what the console gives",
    policy: "exact",
    file: holds,
    from: `if (policy === "exact" || amount === 0) return await write();`,
    to: "",
  },
  {
    name: "what the judge took for a settlement that was refused is free again",
    policy: "whole",
    file: hold,
    from: "return await pushSettlement(queue, this.#settlement, this);",
    to: "return await pushSettlement(queue, this.#settlement, nothing);",
  },
  {
    name: "what was given back is free again",
    policy: "whole",
    file: hold,
    from: "pushReversal(this.#deps, this.#settlement, this);",
    to: "pushReversal(this.#deps, this.#settlement, nothing);",
  },
  {
    name: "what the database grants is not given back in memory",
    policy: "exact",
    file: hold,
    from: "reverse: () => pushReversal(deps, settlement, nothing),",
    to: `reverse: () =>
      pushReversal(deps, settlement, {
        undo(amount) {
          for (const account of accountsOf(input)) judge.grant(account, amount);
        },
      }),`,
  },
  {
    name: "a settlement that was refused releases its hold",
    file: hold,
    from: `    queue.post({ type: "release", id: settlement.id, userId, tokenId });
    throw error;`,
    to: "    throw error;",
  },
  {
    name: "the judge's charge is the one that is booked",
    policy: "whole",
    file: hold,
    from: `this.#settlement = { type: "settle", id, tokenLimited, charge, charged, log, budget };`,
    to: `this.#settlement = { type: "settle", id, tokenLimited, charge, charged: charged + 1, log, budget };`,
  },
  {
    name: "a release in memory is told to the store",
    policy: "whole",
    file: hold,
    from: `    debts.freed(userId);
    queue.post({ type: "release", id, userId, tokenId });`,
    to: "    debts.freed(userId);",
  },
  {
    name: "a release gives back what the database granted",
    policy: "exact",
    file: hold,
    from: `      queue.post({ type: "release", id, userId, tokenId, ...behind });`,
    to: "      void behind;",
  },
  {
    name: "a hold is extended once at a time",
    policy: "exact",
    file: hold,
    from: "const extension = extended.then(async () => await extendNow(want));",
    to: "const extension = extendNow(want);",
  },
  {
    name: "what is granted to a call that ended is not kept",
    policy: "exact",
    file: hold,
    from: `    if (judge.amountOf(id) === undefined) return 0;
    for`,
    to: "    for",
  },
  {
    name: "what was granted for a call goes with it",
    policy: "exact",
    file: hold,
    from: "for (const account of accountsOf(input)) judge.recall(account, amount);",
    to: "",
  },
  {
    name: "a charge is looked at before the hold ends",
    policy: "exact",
    file: hold,
    from: `      whole(charge);
      const isHeld`,
    to: "      const isHeld",
  },
  {
    name: "one batch at a time",
    file: queue,
    from: `if (!running) void run();
    else if (!stock.canShare()) sharing.end();`,
    to: "void run();",
  },
  {
    name: "a batch has an end",
    policy: "exact",
    file: queue,
    from: "const batch = waiting.slice(0, batchMax);",
    to: "const batch = waiting.slice(0);",
  },
  {
    name: "a batch whose fate is unknown is sent again",
    file: queue,
    from: `      if (answer.kind === "fenced") await deps.rejoin(epoch);
      await deps.wait(retryMs);`,
    to: `      if (answer.kind === "store-failed") throw new Error(answer.reason);`,
  },
  {
    name: "what is sent again says so",
    policy: "exact",
    file: queue,
    from: "for (let again = sentBefore; ; again = true) {",
    to: "for (const again = sentBefore; ; ) {",
  },
  {
    name: "what is sent one by one says that it may be known",
    policy: "exact",
    file: queue,
    from: "await sendUntilKnown([one], true)",
    to: "await sendUntilKnown([one], false)",
  },
  {
    name: "one bad operation does not fail the others",
    file: queue,
    from: "if (batch.length === 1 && only !== undefined) {",
    to: "if (only !== undefined) {",
  },
  {
    name: "a store that fails is failing",
    file: queue,
    from: `      setBroken(true, answer.kind === "fenced" ? fencedReason : answer.reason);
`,
    to: "",
  },
  {
    name: "a store that is silent is failing",
    file: queue,
    from: "sender.isBroken() || sender.lagMs() > lateMs",
    to: "sender.isBroken()",
  },
  {
    name: "a store that commits is not failing",
    file: queue,
    from: `        setBroken(false, "");
        return answer.results;`,
    to: "        return answer.results;",
  },
  {
    name: "a store that refuses is not failing",
    firstSeed: 220,
    file: queue,
    from: `      setBroken(false, "");
      await sendOneByOne(batch, error);`,
    to: "      await sendOneByOne(batch, error);",
  },
  {
    name: "a node that may be thought dead takes no call",
    policy: "exact",
    file: holds,
    from: "deps.isCurrent() && !queue.failing()",
    to: "!queue.failing()",
  },
  {
    name: "a node that may be thought dead begins no call that it asked for before",
    policy: "exact",
    isRare: true,
    firstSeed: 115,
    file: holds,
    from: "if (result === null || !deps.isCurrent()) {",
    to: "if (result === null) {",
  },
  {
    name: "a node knows before others that they may think it dead",
    policy: "exact",
    file: membership,
    from: "deps.elapsed() - sentMs < silentMaxMs",
    to: "deps.elapsed() - sentMs < 2 * silentMaxMs",
  },
  {
    name: "a heartbeat counts from when it was sent",
    policy: "exact",
    isRare: true,
    firstSeed: 490,
    file: membership,
    from: "sentMs = Math.max(sentMs, fromMs);",
    to: "sentMs = deps.elapsed();",
  },
];
