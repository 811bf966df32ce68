/**
 * How the thread that relays reaches the database: never itself. A module declares a store, its
 * functions run in a worker beside the connection, each write in one transaction of its own, and
 * callers hold a `RemoteStore` of the same functions without the connection.
 *
 * Arguments and results cross threads by structured clone: plain values only.
 */

import type { Db } from "./database.ts";

/** A function beside the database. Writes get an open transaction as `db`. */
export type StoreFunction = (db: Db, ...input: never[]) => Promise<unknown>;

export type Store = {
  /** Run on a reader, whose snapshot holds every transaction committed before the call. */
  readonly reads: Readonly<Record<string, StoreFunction>>;
  /** Run on the writer, one transaction each, ≤ `storeWriteMaxMs`; a throw undoes all of it. */
  readonly writes: Readonly<Record<string, StoreFunction>>;
};

/** Gives a store its exact type; does nothing at run time. */
export function defineStore<
  Reads extends Readonly<Record<string, StoreFunction>>,
  Writes extends Readonly<Record<string, StoreFunction>>,
>(store: { reads: Reads; writes: Writes }): { readonly reads: Reads; readonly writes: Writes } {
  return store;
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
export type RemoteStore<S extends Store> = Remote<S["reads"]> & Remote<S["writes"]>;

/** A store bound to a connection of this very thread: for tests and one-off commands. */
export function bindStore<S extends Store>(store: S, db: Db): RemoteStore<S> {
  const bound: Record<string, (...input: never[]) => Promise<unknown>> = {};
  for (const [name, run] of Object.entries(store.reads)) {
    bound[name] = async (...input) => await run(db, ...input);
  }
  for (const [name, run] of Object.entries(store.writes)) {
    bound[name] = async (...input) =>
      await db.transaction().execute(async (tx) => await run(tx, ...input));
  }
  // The loop gave each name its function without the first parameter, which is what the type says.
  return bound as RemoteStore<S>;
}
