/**
 * Decides which holds are granted: a deterministic state machine in memory, without clock,
 * randomness or store. It can only spend quota that was granted to it before, so it can never spend
 * more than there is.
 *
 * An account is a user's balance, a limited token's quota or a token's budget. On SQLite every account is granted to
 * the process as a whole; on PostgreSQL a reservation's amount is granted before it is held, and
 * what is left goes back when the reservation ends.
 */

export type AccountKey = `token:${number}` | `user:${number}`;

/** Of an account this process may spend `granted`; open reservations hold `held` of it. */
type Account = { granted: number; held: number };

/**
 * What is left of a token's budget in one window. `granted` is below what is held, or below zero,
 * after the budget was lowered.
 */
export type BudgetAccount = Account;

const noBudgets: readonly BudgetAccount[] = [];

type Reservation = {
  readonly accounts: readonly AccountKey[];
  /** The budgets in which the call counts as well; empty: the token has none. */
  readonly budgets: readonly BudgetAccount[];
  amount: number;
};

type ReserveDecision =
  | { readonly kind: "held"; readonly amount: number }
  /**
   * `account` has only `available` quota, which is less than the smallest amount that the
   * reservation accepts.
   */
  | {
      readonly kind: "refused";
      readonly account: AccountKey;
      readonly available: number;
      /** What the account still has, with what other calls hold of it. */
      readonly rest: number;
    }
  /** The budget has less left than the smallest amount that the reservation accepts. */
  | { readonly kind: "over-budget"; readonly budget: BudgetAccount; readonly available: number };

/** What leaves too little for a call: the user's balance, the token's quota or one of its budgets. */
export type Short = "budget" | "token" | "user";

type Verdict = { readonly charged: number; readonly writeOff: number };

export type Judge = {
  /**
   * Adds quota that the judge may hold and spend: the amount of a credit, of a reservation that the
   * database granted, or of the whole account at the start.
   */
  grant(account: AccountKey, amount: number): void;
  /**
   * Takes back quota that is not held. Returns false and changes nothing if less than `amount` is
   * free.
   */
  recall(account: AccountKey, amount: number): boolean;
  /** Returns the quota of an account that is granted and not held. */
  free(account: AccountKey): number;
  /** Holds up to `want` on each of `accounts`; refuses if less than `least` is free. */
  reserve(reservation: {
    readonly id: string;
    readonly accounts: readonly AccountKey[];
    readonly budgets?: readonly BudgetAccount[];
    readonly want: number;
    readonly least: number;
  }): ReserveDecision;
  /**
   * Adds up to `want` to what a reservation holds. Returns the added amount; 0 when nothing is
   * free.
   */
  extend(id: string, want: number): number;
  /** Tells what limits a reservation: whatever has the least left. */
  shortOf(id: string): Short;
  /** Returns the quota that a reservation holds; undefined when it is not open. */
  amountOf(id: string): number | undefined;
  /**
   * Ends a reservation and spends `charge`, or as much of it as the accounts have free; the rest is
   * the write-off. What was held may be spent even if a budget was lowered meanwhile.
   */
  settle(id: string, charge: number): Verdict;
  /** Ends a reservation and spends nothing. */
  release(id: string): void;
  readonly openCount: () => number;
  /** Returns the ids of the reservations that are open. */
  readonly openIds: () => readonly string[];
};

function overBudget(budget: BudgetAccount, left: number): ReserveDecision {
  return { kind: "over-budget", budget, available: Math.max(0, left) };
}

export function openJudge(): Judge {
  const { account, free, forget, leastFree, refused } = openAccounts();
  const reservations = new Map<string, Reservation>();

  function hold(reservation: Reservation, amount: number): void {
    for (const key of reservation.accounts) account(key).held += amount;
    for (const budget of reservation.budgets) budget.held += amount;
    reservation.amount += amount;
  }

  function end(id: string): Reservation {
    const reservation = reservations.get(id);
    if (reservation === undefined) throw new Error(`reservation ${id} is not open`);
    reservations.delete(id);
    for (const key of reservation.accounts) account(key).held -= reservation.amount;
    for (const budget of reservation.budgets) budget.held -= reservation.amount;
    return reservation;
  }

  return {
    free,
    openCount: () => reservations.size,
    openIds: () => [...reservations.keys()],
    amountOf: (id) => reservations.get(id)?.amount,
    shortOf: (id) => shortOf(reservations.get(id), leastFree),
    grant(key, amount) {
      account(key).granted = whole(account(key).granted + whole(amount));
    },

    recall(key, amount) {
      if (free(key) < whole(amount)) return false;
      account(key).granted -= amount;
      forget(key);
      return true;
    },

    reserve({ id, accounts: keys, budgets = noBudgets, want, least }) {
      if (reservations.has(id)) throw new Error(`reservation ${id} is open already`);
      whole(want);
      const scarcest = leastFree(keys);
      if (scarcest.amount < whole(least)) return refused(scarcest);
      const scarce = scarcestOf(budgets);
      const left = scarce === undefined ? want : freeOf(scarce);
      if (scarce !== undefined && left < least) return overBudget(scarce, left);
      const reservation: Reservation = { accounts: keys, budgets, amount: 0 };
      reservations.set(id, reservation);
      hold(reservation, Math.min(want, scarcest.amount, left));
      return { kind: "held", amount: reservation.amount };
    },

    extend(id, want) {
      const reservation = reservations.get(id);
      if (reservation === undefined) return 0;
      const left = leftOf(reservation.budgets, want);
      const amount = Math.min(whole(want), leastFree(reservation.accounts).amount, left);
      hold(reservation, amount);
      return amount;
    },

    settle(id, charge) {
      whole(charge);
      const { accounts: keys, budgets, amount } = end(id);
      const scarce = scarcestOf(budgets);
      const left = scarce === undefined ? charge : Math.max(amount, freeOf(scarce));
      const charged = Math.min(charge, leastFree(keys).amount, left);
      for (const budget of budgets) budget.granted -= charged;
      for (const key of keys) {
        account(key).granted -= charged;
        forget(key);
      }
      return { charged, writeOff: charge - charged };
    },

    release(id) {
      for (const key of end(id).accounts) forget(key);
    },
  };
}

function freeOf({ granted, held }: Account): number {
  return granted - held;
}

/** Returns what the budgets leave of an amount. */
function leftOf(budgets: readonly BudgetAccount[], amount: number): number {
  const scarce = scarcestOf(budgets);
  return scarce === undefined ? amount : Math.max(0, freeOf(scarce));
}

/** Returns the budget that has the least left; undefined: there are none. */
function scarcestOf(budgets: readonly BudgetAccount[]): BudgetAccount | undefined {
  let found: BudgetAccount | undefined;
  for (const budget of budgets) {
    if (found === undefined || freeOf(budget) < freeOf(found)) found = budget;
  }
  return found;
}

function shortOf(
  reservation: Reservation | undefined,
  leastFree: (keys: readonly AccountKey[]) => { key: AccountKey; amount: number },
): Short {
  if (reservation === undefined) return "user";
  const scarcest = leastFree(reservation.accounts);
  const scarce = scarcestOf(reservation.budgets);
  if (scarce !== undefined && freeOf(scarce) < scarcest.amount) return "budget";
  return scarcest.key.startsWith("token:") ? "token" : "user";
}

/** Keeps for each account the granted quota and how much of it is held. */
function openAccounts() {
  const accounts = new Map<AccountKey, Account>();

  function account(key: AccountKey): Account {
    const known = accounts.get(key);
    if (known !== undefined) return known;
    const made = { granted: 0, held: 0 };
    accounts.set(key, made);
    return made;
  }

  function free(key: AccountKey): number {
    const known = accounts.get(key);
    return known === undefined ? 0 : known.granted - known.held;
  }

  /**
   * Drops from memory an account that has neither grants nor holds; without an entry it counts the
   * same.
   */
  function forget(key: AccountKey): void {
    const known = accounts.get(key);
    if (known !== undefined && known.granted === 0 && known.held === 0) accounts.delete(key);
  }

  /** Returns which of the accounts has the least free quota, which limits the hold. */
  function leastFree(keys: readonly AccountKey[]): { key: AccountKey; amount: number } {
    let found: { key: AccountKey; amount: number } | undefined;
    for (const key of keys) {
      const amount = free(key);
      if (found === undefined || amount < found.amount) found = { key, amount };
    }
    if (found === undefined) throw new Error("a reservation needs an account");
    return found;
  }

  function refused({ key, amount }: { key: AccountKey; amount: number }): ReserveDecision {
    const rest = accounts.get(key)?.granted ?? 0;
    return { kind: "refused", account: key, available: amount, rest };
  }

  return { account, free, forget, leastFree, refused };
}

/**
 * Checks an amount of quota: a whole number that is exact and not negative. Any other amount is a
 * bug, so it throws.
 */
export function whole(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new Error(`not an amount: ${amount}`);
  return amount;
}
