/**
 * The main loop of a database worker: opens the database, then answers calls one after the other.
 * Each write is one transaction, so other calls get their turn between two writes.
 */

import { Refusal } from "#base/refusal.ts";
import { type OpenDatabase, openDatabase } from "#db/connection.ts";
import { isStoreFailure } from "#db/dialect.ts";
import { migrate, snapshotSqlite } from "#db/migrator.ts";
import { poolShares } from "#db/pool-shares.ts";
import { SchemaError } from "#db/schema-error.ts";
import { runTogether, type Store, type StoreCall, type StoreFunction } from "#db/store.ts";
import { type Written, writtenIn } from "#db/written.ts";
import type { Db } from "#db/database.ts";
import {
  type CallMessage,
  type Failure,
  type FromWorker,
  type FunctionNames,
  togetherNoun,
  type OpenedValue,
  type OpenMessage,
  type ToWorker,
} from "./messages.ts";
import { listenForHints } from "./hint-listener.ts";
import { stores } from "./stores.ts";

type Scope = {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
};

/**
 * The longest time of one write, including its waits for locks, in milliseconds. A write that takes
 * longer waits for a server that no longer answers, so the server's own limits cannot end it.
 */
const writeMaxMs = 30_000;

/**
 * The longest time of a pulse, in milliseconds. It is short, because a pulse shows that this
 * process is alive, and a late one is useless.
 */
const pulseMaxMs = 2_000;

type Opened = {
  readonly main: OpenDatabase;
  /** A second connection, which only `pulses` use. */
  readonly aside: OpenDatabase;
  readonly mode: OpenMessage["mode"];
  /** Ends what hears other nodes; null: nothing does here. */
  readonly listener: { close(): void } | null;
};

/** @param prepare changes a call before it runs. */
export function serveDatabase(
  scope: Scope,
  prepare: (message: CallMessage) => CallMessage = (message) => message,
): void {
  let opened: Opened | undefined;
  let last: Promise<void> = Promise.resolve();

  async function answer(message: ToWorker): Promise<Answer> {
    switch (message.type) {
      case "open":
        opened = await open(message, (heard) => scope.postMessage({ id: null, heard }));
        return {
          value: {
            notices: opened.main.notices(),
            functions: message.mode === "writer" ? functionNames() : {},
          } satisfies OpenedValue,
        };
      case "call":
        if (opened === undefined) throw new Error("the database is not open");
        return await run(opened, prepare(message));
      case "close":
        if (opened !== undefined) await close(opened);
        opened = undefined;
        return { value: null };
    }
  }

  async function answerAndPost(message: ToWorker): Promise<void> {
    const id = message.type === "open" ? 0 : message.id;
    try {
      scope.postMessage({ id, ok: true, ...(await answer(message)) });
    } catch (error) {
      scope.postMessage({ id, ok: false, failure: failureOf(error) });
    }
  }

  scope.onmessage = ({ data }) => {
    // SQLite has one connection here, so a second call must not start inside the first one's
    // transaction. On PostgreSQL the writer answers calls in order, except for pulses and
    // singles; the reader has a pool and may answer several at the same time.
    const isBeside =
      data.type === "call" &&
      opened?.main.dialect === "postgres" &&
      (opened.mode === "reader" ||
        findFunction("pulses", data) !== undefined ||
        findFunction("singles", data) !== undefined);
    if (isBeside) void answerAndPost(data);
    else last = last.then(async () => await answerAndPost(data));
  };
}

async function open(
  { address, mode }: OpenMessage,
  heard: (text: string) => void,
): Promise<Opened> {
  const shares = poolShares(address.dialect === "postgres" ? address.pool : undefined);
  const kind = mode === "reader" ? "reader" : "writer";
  const main = openDatabase(address, kind, undefined, shares[mode]);
  // A reader without a connection answers nothing, so it is not opened.
  if (mode === "reader") await main.reserve(1);
  if (mode === "writer") {
    await main.reserve();
    await migrate(main.db, main.dialect, async () => {
      if (address.dialect !== "sqlite") return;
      await snapshotSqlite(main.db, address.file, new Date().toISOString().slice(0, 10));
    });
  }
  if (mode !== "writer" || address.dialect === "sqlite") {
    return { main, aside: main, mode, listener: null };
  }
  const aside = openDatabase(address, "writer", pulseMaxMs, shares.aside);
  await aside.reserve();
  // A pooler shares connections, so that nobody can listen through it.
  const hears = shares.listener > 0 && !main.boundsNeedTransaction();
  return { main, aside, mode, listener: hears ? listenForHints(address.url, heard) : null };
}

async function close({ main, aside, listener }: Opened): Promise<void> {
  listener?.close();
  await main.close();
  if (aside !== main) await aside.close();
}

function findFunction(
  kind: "apart" | "pulses" | "reads" | "singles" | "writes",
  { noun, name }: CallMessage,
): StoreFunction | undefined {
  if (noun === togetherNoun) return kind === "writes" ? together : undefined;
  const store: Store | undefined = Object.hasOwn(stores, noun)
    ? stores[noun as keyof typeof stores]
    : undefined;
  const functions = store?.[kind] ?? {};
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

/** Runs writes of several stores in one transaction. */
async function together(tx: Db, calls: readonly StoreCall[]): Promise<unknown[]> {
  return await runTogether(stores, tx, calls);
}

type Answer = { readonly value: unknown; readonly written?: readonly Written[] };

async function run({ main, aside, mode }: Opened, message: CallMessage): Promise<Answer> {
  // Safe cast: the type `RemoteStore` has made the caller pass input that fits the function.
  const args = message.input as never[];
  if (mode === "reader") {
    const read = findFunction("reads", message);
    if (read === undefined) throw unknownFunction(mode, message);
    if (!main.boundsNeedTransaction()) return { value: await read(main.db, ...args) };
    const bounded = main.db.transaction().execute(async (tx) => await read(tx, ...args));
    return { value: await bounded };
  }
  const single = mode === "writer" ? findFunction("singles", message) : undefined;
  if (single !== undefined) {
    const value = single(aside.db, ...args);
    return { value: await (aside.dialect === "sqlite" ? value : within(writeMaxMs, aside, value)) };
  }
  const pulse = mode === "apart" ? undefined : findFunction("pulses", message);
  const write = pulse ?? findFunction(mode === "apart" ? "apart" : "writes", message);
  if (write === undefined) throw unknownFunction(mode, message);
  const { db, dialect, abort } = pulse === undefined ? main : aside;
  const done = db.transaction().execute(async (tx): Promise<Answer> => {
    const value = await write(tx, ...args);
    const written = writtenIn(tx);
    return written.length === 0 ? { value } : { value, written };
  });
  if (dialect === "sqlite") return await done;
  return await within(pulse === undefined ? writeMaxMs : pulseMaxMs, { abort }, done);
}

/** Breaks the connections of a database that does not answer in time, so that `done` fails. */
async function within<Value>(
  maxMs: number,
  { abort }: Pick<OpenDatabase, "abort">,
  done: Promise<Value>,
): Promise<Value> {
  const cut = setTimeout(abort, maxMs);
  return await done.finally(() => clearTimeout(cut));
}

/** Names what can be called, so that the relaying thread need not load the code of the stores. */
function functionNames(): OpenedValue["functions"] {
  const named = Object.entries<Store>(stores).map(([noun, store]) => {
    const { reads, writes, pulses, singles, apart } = store;
    const names: FunctionNames = {
      reads: Object.keys(reads),
      writes: Object.keys({ ...writes, ...pulses, ...singles }),
      apart: Object.keys(apart ?? {}),
    };
    return [noun, names] as const;
  });
  return Object.fromEntries(named);
}

function unknownFunction(mode: OpenMessage["mode"], { noun, name }: CallMessage): Error {
  return new Error(`no ${mode} function ${noun}.${name}`);
}

function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) {
    const { code, message, field } = error;
    return { kind: "refusal", code, message, field };
  }
  if (error instanceof SchemaError) return { kind: "schema", message: error.message };
  if (isStoreFailure(error)) return { kind: "store", message: String(error) };
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return { kind: "bug", message: String(error), stack };
}
