/**
 * The thread that relays never uses the database itself. A module declares a store, whose functions
 * run in a worker that has the connection, each write in its own transaction. Callers have a
 * `RemoteStore` of the same functions without the `db` parameter.
 *
 * Arguments and results cross threads by structured clone, so they must be plain values.
 */

import type { Db } from "./database.ts";

/**
 * A function of a store, which runs in a database worker. For a write, `db` is an open transaction.
 */
export type StoreFunction = (db: Db, ...input: never[]) => Promise<unknown>;

export type Store = {
  /**
   * Functions that run in a worker that only reads. Each sees every transaction that was committed
   * before the call.
   */
  readonly reads: Readonly<Record<string, StoreFunction>>;
  /**
   * Functions that run in the worker that writes, each in one transaction. If one throws, its
   * transaction is rolled back.
   */
  readonly writes: Readonly<Record<string, StoreFunction>>;
  /**
   * Short writes that show that this process is alive, one transaction each. On PostgreSQL they
   * have a connection of their own and wait for no other write of this process.
   */
  readonly pulses?: Readonly<Record<string, StoreFunction>>;
  /**
   * Functions of the worker that writes whose statements are a transaction each. Like `pulses` they
   * wait for no other write on PostgreSQL.
   */
  readonly singles?: Readonly<Record<string, StoreFunction>>;
  /**
   * Functions on what is stored apart from everything else, one transaction each. They run in a
   * worker of their own, which starts with the first of them. On SQLite it has a file of its own.
   */
  readonly apart?: Readonly<Record<string, StoreFunction>>;
};

/** Gives a store its exact type. It does nothing at run time. */
export function defineStore<
  Reads extends Readonly<Record<string, StoreFunction>>,
  Writes extends Readonly<Record<string, StoreFunction>>,
  Pulses extends Readonly<Record<string, StoreFunction>> = Readonly<Record<never, StoreFunction>>,
  Apart extends Readonly<Record<string, StoreFunction>> = Readonly<Record<never, StoreFunction>>,
  Singles extends Readonly<Record<string, StoreFunction>> = Readonly<Record<never, StoreFunction>>,
>(store: {
  reads: Reads;
  writes: Writes;
  pulses?: Pulses;
  apart?: Apart;
  singles?: Singles;
}): {
  readonly reads: Reads;
  readonly writes: Writes;
  readonly pulses: Pulses;
  readonly apart: Apart;
  readonly singles: Singles;
} {
  // Safe casts: without them the types have no names of such functions.
  return { pulses: {} as Pulses, apart: {} as Apart, singles: {} as Singles, ...store };
}

type Remote<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (
    db: Db,
    ...input: infer Input
  ) => infer Result
    ? (...input: Input) => Result
    : never;
};

/** The functions of a store as other threads call them. */
export type RemoteStore<S extends Store> = Remote<NonNullable<S["apart"]>> &
  Remote<NonNullable<S["pulses"]>> &
  Remote<NonNullable<S["singles"]>> &
  Remote<S["reads"]> &
  Remote<S["writes"]>;

/** Makes a store that uses a connection of this thread: for tests and one-off commands. */
export function bindStore<S extends Store>(store: S, db: Db): RemoteStore<S> {
  const bound: Record<string, (...input: never[]) => Promise<unknown>> = {};
  for (const [name, run] of Object.entries({ ...store.reads, ...store.singles })) {
    bound[name] = async (...input) => await run(db, ...input);
  }
  for (const [name, run] of Object.entries({ ...store.writes, ...store.pulses, ...store.apart })) {
    bound[name] = async (...input) =>
      await db.transaction().execute(async (tx) => await run(tx, ...input));
  }
  // Safe cast: the loop stored each function under its name, without the first parameter.
  return bound as RemoteStore<S>;
}

/** A write of a store that runs later, in one transaction with others. */
export type StoreCall = {
  readonly noun: string;
  readonly name: string;
  readonly input: readonly unknown[];
};

/**
 * Makes a store whose named writes are gathered in `calls` instead of run. They return nothing, so
 * that only code may use it which does not look at what a write returns.
 */
export function gatherWrites<Remote extends object>(
  noun: string,
  store: Remote,
  names: readonly (keyof Remote & string)[],
  calls: StoreCall[],
): Remote {
  const gathering = names.map((name) => [
    name,
    async (...input: unknown[]) => void calls.push({ noun, name, input }),
  ]);
  // Safe cast: every other function is the store's own.
  return { ...store, ...Object.fromEntries(gathering) } as Remote;
}

/**
 * Runs writes of several stores in one transaction.
 *
 * @returns what each of them returned.
 */
export async function runTogether(
  stores: Readonly<Record<string, Store>>,
  tx: Db,
  calls: readonly StoreCall[],
): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const { noun, name, input } of calls) {
    const writes = Object.hasOwn(stores, noun) ? stores[noun]?.writes : undefined;
    const run = writes !== undefined && Object.hasOwn(writes, name) ? writes[name] : undefined;
    if (run === undefined) throw new Error(`no write function ${noun}.${name}`);
    // Safe cast: `gatherWrites` took the input as the function of that name takes it.
    results.push(await run(tx, ...(input as never[])));
  }
  return results;
}
