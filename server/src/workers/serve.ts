/**
 * The main loop of a database worker: it opens the database, then answers calls one after the other.
 * Each write is one transaction, so other calls get their turn between two writes.
 */

import { Refusal } from "#base/refusal.ts";
import { type OpenDatabase, openDatabase } from "#db/connection.ts";
import { isStoreFailure } from "#db/dialect.ts";
import { migrate, SchemaError, snapshotSqlite } from "#db/migrator.ts";
import type { Store, StoreFunction } from "#db/store.ts";
import type { CallMessage, Failure, FromWorker, OpenMessage, ToWorker } from "./messages.ts";
import { stores } from "./stores.ts";

type Scope = {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
};

export function serveDatabase(scope: Scope): void {
  let opened: OpenDatabase | undefined;
  let last: Promise<void> = Promise.resolve();
  let mode: OpenMessage["mode"] = "reader";

  async function answer(message: ToWorker): Promise<unknown> {
    switch (message.type) {
      case "open":
        mode = message.mode;
        opened = await open(message);
        return null;
      case "call":
        if (opened === undefined) throw new Error("the database is not open");
        return await run(opened, mode, message);
      case "close":
        await opened?.close();
        opened = undefined;
        return null;
    }
  }

  async function answerAndPost(message: ToWorker): Promise<void> {
    const id = message.type === "open" ? 0 : message.id;
    try {
      scope.postMessage({ id, ok: true, value: await answer(message) });
    } catch (error) {
      scope.postMessage({ id, ok: false, failure: failureOf(error) });
    }
  }

  scope.onmessage = ({ data }) => {
    // SQLite has one connection here, so a second call must not start inside the first one's
    // transaction. PostgreSQL's writer keeps the order of its calls; its reader has a pool and may
    // answer several at once.
    const alone = mode === "writer" || opened?.dialect !== "postgres" || data.type !== "call";
    if (alone) last = last.then(async () => await answerAndPost(data));
    else void answerAndPost(data);
  };
}

async function open({ address, mode }: OpenMessage): Promise<OpenDatabase> {
  const opened = openDatabase(address, mode);
  if (mode === "writer") {
    await migrate(opened.db, opened.dialect, async () => {
      if (address.dialect !== "sqlite") return;
      await snapshotSqlite(opened.db, address.file, new Date().toISOString().slice(0, 10));
    });
  }
  return opened;
}

async function run(
  { db }: OpenDatabase,
  mode: OpenMessage["mode"],
  { noun, name, input }: CallMessage,
): Promise<unknown> {
  const store: Store | undefined = Object.hasOwn(stores, noun)
    ? stores[noun as keyof typeof stores]
    : undefined;
  const functions = mode === "writer" ? store?.writes : store?.reads;
  const found: StoreFunction | undefined =
    functions !== undefined && Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (found === undefined) throw new Error(`no ${mode} function ${noun}.${name}`);
  // The caller's type `RemoteStore` guarantees that the input fits the function.
  const args = input as never[];
  if (mode === "reader") return await found(db, ...args);
  return await db.transaction().execute(async (tx) => await found(tx, ...args));
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
