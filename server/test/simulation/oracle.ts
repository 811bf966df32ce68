/**
 * Checks the ledger against its entries. It adds the entries up itself, because the sums that the
 * store keeps are what it checks.
 */

import { budgetKey, type ModelEntry } from "./model-tables.ts";
import type { ModelStore } from "./model-store.ts";
import { type OpenCall, type SimNode, windowsAt, type World } from "./world.ts";

export type Oracle = {
  /**
   * Adds up the entries that were appended since the last time. @returns the first violation so
   * far, or null.
   */
  absorb(): string | null;
  /** What a user has, less what calls were told to cost that is not in the books yet. */
  balanceOf(userId: number): number;
  /**
   * Returns what a call was charged, in the books or in the journal; undefined: it was not settled.
   */
  chargedOf(requestId: string): number | undefined;
  /** Whether the charge of a call was given back. */
  isReversed(requestId: string): boolean;
};

/** Beginning of the cause of an entry that gives a call's charge back. */
const reversalStart = "reversal:";

/** Adds up what tokens spent in their windows, by the entries. */
function openBudgetSums(store: ModelStore) {
  const due = new Map<string, number>();
  /** The budgets that changed since they were last compared. */
  const touched = new Set<string>();
  return {
    add({ tokenId, amount, budgetAt }: ModelEntry): void {
      for (const window of windowsAt(budgetAt, 0)) {
        const key = budgetKey(tokenId, window);
        due.set(key, (due.get(key) ?? 0) - amount);
        touched.add(key);
      }
    },
    findFlaw(): string | null {
      for (const key of touched) {
        const spent = store.budgets.get(key)?.spent;
        const sum = due.get(key);
        if (spent !== sum) return `budget ${key} spent ${spent}, its entries sum to ${sum}`;
      }
      touched.clear();
      return null;
    },
  };
}

/** Looks at what the books could not take as the journal says. */
function openRefusals(store: ModelStore, isRefusable: (requestId: string) => boolean) {
  let seen = 0;
  return {
    findFlaw(): string | null {
      for (; seen < store.refused.length; seen += 1) {
        const { requestId = "", kind } = store.refused[seen] ?? {};
        const isDue = kind === "failed" && isRefusable(requestId);
        if (!isDue) return `the books refuse ${requestId}: ${kind}`;
      }
      return null;
    },
  };
}

/** What calls of a user were told to cost that is not in the books yet. */
function promisedTo({ promised }: ModelStore, userId: number): number {
  let sum = 0;
  for (const one of promised.values()) if (one.userId === userId) sum += one.amount;
  return sum;
}

/** @param isRefusable whether the books are to refuse the settlement of a call. */
export function openOracle(store: ModelStore, isRefusable: (requestId: string) => boolean): Oracle {
  const balances = new Map<number, number>();
  const charged = new Map<number, number>();
  const causes = new Set<string>();
  const charges = new Map<string, number>();
  const spent = new Map<number, number>();
  const budgets = openBudgetSums(store);
  const refused = openRefusals(store, isRefusable);
  let seen = 0;
  let version = -1;
  let flaw: string | null = null;

  function absorb(): string | null {
    if (version !== store.version()) flaw ??= findFlaw();
    version = store.version();
    return flaw;
  }

  function findFlaw(): string | null {
    const { entries } = store;
    for (; seen < entries.length; seen += 1) {
      const entry = entries[seen];
      if (entry === undefined) return "an entry is gone";
      const { cause, requestId, userId, tokenId, amount, budgetAt } = entry;
      if (causes.has(cause)) return `${cause} counted twice`;
      causes.add(cause);
      if (requestId !== "") charges.set(requestId, 0 - amount);
      const balance = (balances.get(userId) ?? 0) + amount;
      balances.set(userId, balance);
      if (tokenId > 0) charged.set(tokenId, (charged.get(tokenId) ?? 0) - amount);
      if (budgetAt > 0) budgets.add(entry);
      if (balance < 0) return `user ${userId} is at ${balance} after ${cause}`;
      if (requestId !== "" && amount > 0) return `${cause} pays the user`;
      const isReversal = cause.startsWith(reversalStart);
      const ofCall = isReversal ? charges.get(cause.slice(reversalStart.length)) : amount;
      if (ofCall !== amount) return `${cause} pays ${amount}, the call cost ${ofCall}`;
      if (isReversal) spent.set(userId, (spent.get(userId) ?? 0) - amount);
      if (requestId !== "") spent.set(userId, (spent.get(userId) ?? 0) - amount);
      if (store.users.get(userId)?.balance === undefined) return `user ${userId} is unknown`;
    }
    for (const [userId, user] of store.users) {
      if (user.balance !== (balances.get(userId) ?? 0)) {
        return `user ${userId} has ${user.balance}, its entries sum to ${balances.get(userId)}`;
      }
      if (user.used !== (spent.get(userId) ?? 0)) {
        return `user ${userId} used ${user.used}, its calls sum to ${spent.get(userId)}`;
      }
      if (user.held < 0 || user.held > user.balance) {
        return `user ${userId} has ${user.balance}, held ${user.held}`;
      }
    }
    const otherFlaw = refused.findFlaw() ?? budgets.findFlaw();
    if (otherFlaw !== null) return otherFlaw;
    for (const [tokenId, token] of store.tokens) {
      if (token.used !== (charged.get(tokenId) ?? 0)) {
        return `token ${tokenId} used ${token.used}, its entries sum to ${charged.get(tokenId)}`;
      }
      if (token.remain + token.used !== token.granted) return `token ${tokenId} does not add up`;
      if (token.held < 0 || token.held > token.remain) {
        return `token ${tokenId} may spend ${token.remain}, held ${token.held}`;
      }
    }
    return null;
  }

  return {
    absorb,
    balanceOf: (userId) => (balances.get(userId) ?? 0) - promisedTo(store, userId),
    chargedOf: (requestId) => charges.get(requestId) ?? store.promised.get(requestId)?.amount,
    isReversed: (requestId) => causes.has(reversalStart + requestId),
  };
}

/**
 * Checks that the sum of the holds equals what the accounts store as held, and that no account was
 * granted a negative amount.
 */
export function checkHeld(world: World): void {
  const { store, plan, nodes, check, open } = world;
  if (plan.policy === "exact") {
    // Users and tokens have different ids, so one map is enough.
    const held = new Map<number, number>();
    for (const { userId, tokenId, amount, tokenAmount } of store.reservations.values()) {
      held.set(userId, (held.get(userId) ?? 0) + amount);
      held.set(tokenId, (held.get(tokenId) ?? 0) + tokenAmount);
    }
    for (const accounts of [store.users, store.tokens]) {
      for (const [id, account] of accounts) {
        check(account.held === (held.get(id) ?? 0), `account ${id} holds what no call does`);
      }
    }
  }
  for (const { tokenId, window, spent, held } of store.budgets.values()) {
    const name = `the ${window.kind} of token ${tokenId}`;
    const isKept = held >= 0 && spent + held <= window.limit;
    check(isKept, `${name} may spend ${window.limit}, spent ${spent}, held ${held}`);
  }
  for (const [id, { node, covered }] of open) {
    // At least one of these must be true of an open call. Otherwise nothing would be left of the
    // call when its process dies.
    const isKnown =
      covered !== null ||
      !node.isIdle() ||
      store.reservations.has(id) ||
      store.isJournaled(id) ||
      world.lost.has(id);
    check(isKnown, `call ${id} runs, and the store does not know`);
  }
  for (const { judge } of nodes) {
    for (const id of store.users.keys()) {
      check(judge.free(`user:${id}`) >= 0, `user ${id} has less than nothing free`);
    }
    for (const id of store.tokens.keys()) {
      check(judge.free(`token:${id}`) >= 0, `token ${id} has less than nothing free`);
    }
  }
}

/** Checks that budgets cover what is spent in them and what the running calls may spend. */
function checkBudgets(world: World, call: OpenCall): void {
  for (const window of call.budget?.windows ?? []) {
    let ofCalls = 0;
    for (const [id, one] of world.open) {
      if (world.lost.has(id) || one.token.id !== call.token.id) continue;
      if (one.covered !== null && world.oracle.chargedOf(id) !== undefined) continue;
      const { at = -1 } = one.budget ?? {};
      if (at < window.start || at >= window.end) continue;
      ofCalls += one.covered ?? one.hold.amount();
    }
    let spent = world.store.budgets.get(budgetKey(call.token.id, window))?.spent ?? 0;
    for (const { tokenId, amount, budgetAt } of world.store.promised.values()) {
      const isOf = tokenId === call.token.id && budgetAt >= window.start && budgetAt < window.end;
      if (isOf) spent += amount;
    }
    const isCovered = spent + ofCalls <= window.limit;
    world.check(isCovered, `token ${call.token.id} spends ${spent + ofCalls} of ${window.limit}`);
  }
}

/** Checks I7: the user's balance covers all running calls of the user. */
export function checkCovered(world: World, call: OpenCall): void {
  world.oracle.absorb();
  let ofUser = 0;
  let ofToken = 0;
  for (const [id, one] of world.open) {
    // Calls of a node that was taken for dead are not counted: they have lost their holds, which is
    // the price of fencing.
    if (world.lost.has(id)) continue;
    // This call is charged already, although its caller has no answer yet.
    if (one.covered !== null && world.oracle.chargedOf(id) !== undefined) continue;
    const amount = one.covered ?? one.hold.amount();
    if (one.userId === call.userId) ofUser += amount;
    if (one.token.id === call.token.id && one.token.limited) ofToken += amount;
  }
  const { id, limited } = call.token;
  const balance = world.oracle.balanceOf(call.userId);
  world.check(ofUser <= balance, `user ${call.userId} has ${balance}, its calls hold ${ofUser}`);
  let remain = world.store.tokens.get(id)?.remain ?? 0;
  for (const { tokenId, amount } of world.store.promised.values()) {
    if (tokenId === id) remain -= amount;
  }
  const isCovered = !limited || ofToken <= remain;
  world.check(isCovered, `token ${id} has ${remain}, its calls hold ${ofToken}`);
  checkBudgets(world, call);
}

/**
 * Checks at the end that each node's memory agrees with the store, and that no call, hold or
 * reservation is open.
 */
export function checkRest(world: World): void {
  const { store, plan, nodes, check, oracle } = world;
  check(world.open.size === 0, `${world.open.size} calls never heard of their end`);
  check(store.reservations.size === 0, `${store.reservations.size} reservations stay open`);
  check(store.unapplied() === 0, `${store.unapplied()} operations never got into the books`);
  for (const id of world.pending.keys()) {
    const rows = store.refused.filter(({ requestId }) => requestId === id).length;
    check(rows === 1, `the refusal of call ${id} is noted ${rows} times`);
  }
  for (const node of nodes) {
    check(node.judge.openCount() === 0, "a hold stays open in memory");
    for (const [id, { balance }] of store.users) {
      const taken = pendingOf(world, node, (call) => call.userId === id);
      checkFree(world, node, `user:${id}`, plan.policy === "whole" ? balance - taken : 0);
    }
    for (const [id, { remain }] of store.tokens) {
      const taken = pendingOf(world, node, ({ token }) => token.id === id && token.limited);
      checkFree(world, node, `token:${id}`, plan.policy === "whole" ? remain - taken : 0);
    }
  }
  check(world.nodes.length > 0, "no node is left");
  for (const [id, count] of store.failures) {
    check(count === 1, `call ${id} has ${count} rows of its failure`);
    check(oracle.chargedOf(id) === undefined, `call ${id} was interrupted and charged`);
  }
  for (const [id, node] of world.withheld) {
    const isFree = (oracle.chargedOf(id) ?? 0) === 0 || oracle.isReversed(id);
    check(!node.isAlive() || isFree, `call ${id} was told to be free and is charged`);
  }
  for (const [id, node] of world.promisedFailures) {
    check(!node.isAlive() || store.failures.has(id), `the failure of call ${id} is not recorded`);
  }
}

/** What calls of a node were told to cost that the books have refused: its judge has taken it. */
function pendingOf({ pending }: World, node: SimNode, isOf: (call: OpenCall) => boolean): number {
  let sum = 0;
  for (const { call, charged } of pending.values()) {
    if (call.node === node && isOf(call)) sum += charged;
  }
  return sum;
}

function checkFree(
  { check }: World,
  { judge }: SimNode,
  account: `token:${number}` | `user:${number}`,
  due: number,
): void {
  const free = judge.free(account);
  check(free === due, `${account} has ${free} free in memory instead of ${due}`);
}
