/** Calls the functions of the database workers from the relaying thread. */

import { dirname, join } from "node:path";
import { Refusal } from "#base/refusal.ts";
import type { DatabaseAddress } from "#db/connection.ts";
import type { RemoteStore, StoreCall } from "#db/store.ts";
import { SchemaError } from "#db/schema-error.ts";
import { StoreUnavailable, TaskTooLong } from "#db/store-unavailable.ts";
import type { Written } from "#db/written.ts";
import { bookWord } from "./book-words.ts";
import {
  type Failure,
  type FromWorker,
  type OpenedValue,
  togetherNoun,
  type ToWorker,
  type WorkerMode,
} from "./messages.ts";
import { openReaders, openRenewed, type Reader } from "./readers.ts";
import type { Stores } from "./stores.ts";

export type RemoteStores = { readonly [Noun in keyof Stores]: RemoteStore<Stores[Noun]> };

type StoreClient = RemoteStores & {
  /** What an operator should know about the connection to the database. */
  readonly notices: readonly string[];
  /** Runs writes of several stores in one transaction. @returns what each of them returned. */
  readonly together: (calls: readonly StoreCall[]) => Promise<unknown[]>;
  readonly close: () => Promise<void>;
};

/** The longest wait for a reader's answer, in milliseconds. */
const readMaxMs = 30_000;

/**
 * How much sooner a reader is ended that has answered nothing all the time, in milliseconds: what
 * waits behind the query that keeps it is not late yet, and is asked again.
 */
const readerEarlierMs = 500;
const readTooLong = "查询用时过长，已停止等待，请缩小时间范围或换用其他筛选条件";

type Options = {
  /** Called when a bug has ended a worker. The process cannot go on without it. */
  readonly onDeath: (reason: string) => void;
  /** Called with what a write has left in the database, once that is committed. */
  readonly onWritten: (written: readonly Written[]) => void;
  /** Called with what another node tells. */
  readonly onHeard?: ((text: string) => void) | undefined;
  /**
   * Resolves when the books have everything that was committed before; undefined: they have. Called
   * before each function that reads or writes them.
   */
  readonly behindBooks: (kind: "read" | "write") => Promise<void> | undefined;
  /** How long one task of a reader or of the worker `apart` may take; left out: as long as usual. */
  readonly taskMaxMs?: number;
};

/** Starts the workers and brings the database to the newest schema. */
export async function openStoreClient(
  address: DatabaseAddress,
  startWorker: (mode: WorkerMode) => Worker,
  { onDeath, onWritten, onHeard, behindBooks, taskMaxMs }: Options,
): Promise<StoreClient> {
  const writer = connect(startWorker("writer"), { onDeath, onWritten, onHeard });
  const queryMaxMs = taskMaxMs ?? readMaxMs;
  // The reader loads its code while the writer opens the database.
  let early: Worker | null = startWorker("reader");
  const openReader = async (ended: () => void): Promise<Reader> => {
    const worker = early ?? startWorker("reader");
    early = null;
    const limit = { maxMs: queryMaxMs - readerEarlierMs, ended, tooLong: readTooLong };
    const connection = connect(worker, { onDeath, limit });
    try {
      await connection.open(address, "reader");
    } catch (error) {
      connection.end();
      throw error;
    }
    return connection;
  };
  // The writer opens first, because it creates the database file and its tables.
  const { notices, functions } = await writer.open(address, "writer");
  const reader = await openRenewed(openReader);
  const readers = openReaders(reader, async () => await openRenewed(openReader));
  const apart = openApart(address, (ended) =>
    connect(startWorker("apart"), {
      onDeath,
      limit: { maxMs: taskMaxMs ?? apartTaskMaxMs, ended },
    }),
  );
  const remote: Record<string, Record<string, Remote>> = {};
  for (const [noun, names] of Object.entries(functions)) {
    const callable: Record<string, Remote> = {};
    const waits = (name: string) => bookWord(noun, name) !== "beside";
    for (const name of names.reads) {
      const read = async (input: unknown[]) => await readers.call(noun, name, input, queryMaxMs);
      callable[name] = behind(waits(name), async () => await behindBooks("read"), read);
    }
    for (const name of names.writes) {
      const write = async (input: unknown[]) => await writer.call(noun, name, input);
      callable[name] = behind(waits(name), async () => await behindBooks("write"), write);
    }
    for (const name of names.apart) {
      callable[name] = async (...input) => await apart.call(noun, name, input);
    }
    remote[noun] = callable;
  }
  const close = async (): Promise<void> => {
    await Promise.all([writer, readers, apart].map(async (worker) => await worker.close()));
  };
  const together = async (calls: readonly StoreCall[]): Promise<unknown[]> => {
    const waits = calls.some(({ noun, name }) => bookWord(noun, name) !== "beside");
    if (waits) await behindBooks("write");
    // Safe cast: the worker answers with a list, see `runTogether`.
    return (await writer.call(togetherNoun, "together", [calls])) as unknown[];
  };
  // Safe cast: the writer named every function of every store.
  return { ...(remote as RemoteStores), notices, together, close };
}

type Remote = (...input: unknown[]) => Promise<unknown>;

/** Lets a function wait for the books, if it has to do with them. */
function behind(
  waits: boolean,
  books: () => Promise<void>,
  call: (input: unknown[]) => Promise<unknown>,
): Remote {
  if (!waits) return async (...input) => await call(input);
  return async (...input) => {
    await books();
    return await call(input);
  };
}

/**
 * How long one task of the worker `apart` may take, in milliseconds: its texts are anybody's. Longer
 * than the time limit of a write (`serve.ts`), which is the database's fault.
 */
const apartTaskMaxMs = 35_000;

/** How long the worker `apart` may take to close its database, in milliseconds; then it is ended. */
const closeMaxMs = 5_000;

/** How long the worker `apart` may be idle before it ends, in milliseconds. */
const apartIdleMs = 30_000;

/** The file of what is stored apart, beside that of the database. */
function apartAddress(address: DatabaseAddress): DatabaseAddress {
  if (address.dialect === "postgres") return address;
  return { dialect: "sqlite", file: join(dirname(address.file), "transcripts.db") };
}

/**
 * Opens the worker for what is stored apart when it is first called, and closes it when it has had
 * nothing to do for a while.
 */
function openApart(
  address: DatabaseAddress,
  start: (ended: () => void) => Connection,
): Pick<Connection, "call" | "close"> {
  let opened: Promise<Connection> | null = null;
  let idle: ReturnType<typeof setTimeout> | undefined;

  async function open(): Promise<Connection> {
    // The next call starts another worker.
    const connection = start(() => void (opened = null));
    try {
      await connection.open(apartAddress(address), "apart");
    } catch (error) {
      opened = null;
      throw error;
    }
    return connection;
  }

  async function close(): Promise<void> {
    clearTimeout(idle);
    const closing = opened;
    opened = null;
    const connection = await closing;
    if (connection === null) return;
    const stuck = setTimeout(connection.end, closeMaxMs);
    // Nothing is lost that was stored, so the process can end without it.
    await connection.close().catch(() => undefined);
    clearTimeout(stuck);
  }

  return {
    async call(noun, name, input) {
      clearTimeout(idle);
      opened ??= open();
      const connection = await opened;
      try {
        return await connection.call(noun, name, input);
      } finally {
        clearTimeout(idle);
        idle = setTimeout(() => {
          if (connection.waiting() === 0) void close();
        }, apartIdleMs);
      }
    },
    close,
  };
}

type Connection = {
  open(address: DatabaseAddress, mode: WorkerMode): Promise<OpenedValue>;
  call(noun: string, name: string, input: readonly unknown[], maxMs?: number): Promise<unknown>;
  close(): Promise<void>;
  /** Ends the worker, whatever it does. What waits for it fails. */
  end(): void;
  waiting(): number;
};

type Waiting = { resolve(value: unknown): void; reject(error: Error): void };

/** How long a worker may take over one task; then it is ended, and `ended` called. */
type TaskLimit = {
  readonly maxMs: number;
  ended(): void;
  /** What is told to the one whose task it was, unlike to those behind it; absent: the same. */
  readonly tooLong?: string;
};

/** Sends messages to a worker, and matches its answers to them. */
type Line = Pick<Connection, "end" | "waiting"> & {
  send(id: number, message: ToWorker): Promise<unknown>;
  /** Rejects a message that is not answered yet. Its answer is dropped. */
  giveUp(id: number, error: Error): void;
};

type Watch = Pick<Options, "onDeath"> &
  Partial<Pick<Options, "onHeard" | "onWritten">> & {
    readonly limit?: TaskLimit;
  };

function openLine(worker: Worker, { limit, onDeath, onWritten, onHeard }: Watch): Line {
  const waiting = new Map<number, Waiting>();
  let death: string | undefined;
  let late: ReturnType<typeof setTimeout> | undefined;

  /** Counts the time of the task that the worker does now. */
  function watch(): void {
    clearTimeout(late);
    late = undefined;
    if (limit !== undefined && waiting.size > 0) late = setTimeout(endLate, limit.maxMs);
  }

  function endLate(): void {
    const [[first, caller] = []] = waiting;
    if (first !== undefined && limit?.tooLong !== undefined) {
      waiting.delete(first);
      const reason = `a query took over ${limit.maxMs} ms`;
      caller?.reject(new StoreUnavailable(reason, limit.tooLong));
    }
    endWith(new TaskTooLong(`a task of a database worker took over ${limit?.maxMs} ms`));
    worker.terminate();
    limit?.ended();
  }

  function endWith(error: StoreUnavailable): void {
    clearTimeout(late);
    death = error.reason;
    for (const caller of waiting.values()) caller.reject(error);
    waiting.clear();
  }

  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.id === null) return onHeard?.(data.heard);
    const caller = waiting.get(data.id);
    waiting.delete(data.id);
    watch();
    if (data.ok) {
      if (data.written !== undefined) onWritten?.(data.written);
      caller?.resolve(data.value);
    } else caller?.reject(errorOf(data.failure));
  };

  // A worker that throws outside of a call has ended. Later calls to it must fail, not wait for
  // ever.
  worker.onerror = (event) => {
    const reason = `a database worker failed: ${event.message}`;
    endWith(new StoreUnavailable(reason));
    onDeath(reason);
  };

  return {
    send(id, message) {
      return new Promise((resolve, reject) => {
        if (death !== undefined) {
          reject(new StoreUnavailable(death));
          return;
        }
        waiting.set(id, { resolve, reject });
        // The time of a task goes on when nobody waits for it any more.
        if (late === undefined && message.type === "call") watch();
        worker.postMessage(message);
      });
    },
    giveUp(id, error) {
      waiting.get(id)?.reject(error);
      waiting.delete(id);
    },
    waiting: () => waiting.size,
    end() {
      endWith(new StoreUnavailable("a database worker was ended"));
      worker.terminate();
    },
  };
}

function connect(worker: Worker, watch: Watch): Connection {
  const { send, giveUp, waiting, end } = openLine(worker, watch);
  let lastId = 0;

  async function call(
    noun: string,
    name: string,
    input: readonly unknown[],
    maxMs?: number,
  ): Promise<unknown> {
    const id = (lastId += 1);
    const answer = send(id, { type: "call", id, noun, name, input });
    if (maxMs === undefined) return await answer;
    const timer = setTimeout(() => {
      const reason = `${noun}.${name} took over ${maxMs} ms`;
      giveUp(id, new StoreUnavailable(reason, readTooLong));
    }, maxMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    call,
    waiting,
    end,
    async open(address, mode) {
      // Safe cast: `serve.ts` answers this message so.
      return (await send(0, { type: "open", address, mode })) as OpenedValue;
    },
    async close() {
      const id = (lastId += 1);
      await send(id, { type: "close", id });
      worker.terminate();
    },
  };
}

function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case "refusal":
      return new Refusal(failure.code, failure.message, { field: failure.field });
    case "store":
      return new StoreUnavailable(failure.message);
    case "schema":
      return new SchemaError(failure.message);
    case "bug": {
      const error = new Error(failure.message);
      error.stack = failure.stack;
      return error;
    }
  }
}
