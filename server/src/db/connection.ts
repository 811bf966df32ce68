/**
 * Opens databases. SQLite runs in the calling thread, so that must not be the thread that relays.
 */

import { Database as Sqlite, type SQLQueryBindings } from "bun:sqlite";
import { Socket } from "node:net";
import {
  type DatabaseConnection,
  Kysely,
  type Dialect as KyselyDialect,
  PostgresDialect,
  type PostgresPool,
  sql,
  SqliteDialect,
} from "kysely";
import { Pool, types } from "pg";
import type { Db } from "./database.ts";
import type { Dialect } from "./dialect.ts";
import {
  beginWithBounds,
  boundsQuery,
  type FoundBounds,
  isStartupRefusal,
  type OpenMode,
  pooledNotices,
  startupOptions,
} from "./postgres-bounds.ts";
import { openPatientPool } from "./patient-pool.ts";
import { pipelineDriver } from "./pipeline.ts";
import { keepPrepared } from "./prepared.ts";

/** The address of a database. `file` is a path; `:memory:` is for tests. */
export type DatabaseAddress =
  | { readonly dialect: "sqlite"; readonly file: string }
  | {
      readonly dialect: "postgres";
      readonly url: string;
      /** The most connections of one node; absent: the usual number. */
      readonly pool?: number;
    };

export type OpenDatabase = {
  readonly db: Db;
  readonly dialect: Dialect;
  /** Returns warnings about the connection for the operator; known after its first use. */
  notices(): readonly string[];
  /**
   * Whether the connection goes through a pooler that drops our settings. The time limits of
   * statements, and the protection from writing by a reader, then apply only inside a transaction.
   */
  boundsNeedTransaction(): boolean;
  /**
   * Opens this many connections, or all that this may have, so that later nobody else can have taken
   * them. Rejects if the server has too few left.
   */
  reserve(count?: number): Promise<void>;
  /** Breaks every connection, so that nothing waits for a server that does not answer. */
  abort(): void;
  close(): Promise<void>;
};

/** How long a statement waits for another process's lock before it fails as busy. */
const sqliteBusyMs = 1_000;

/** The largest number of connections that a command of the executable opens to PostgreSQL. */
const commandConnections = 8;

/**
 * The longest wait for a connection of the pool, in milliseconds. The caller then retries or
 * refuses.
 */
const postgresConnectMaxMs = 5_000;

/** How long a connection must be silent before the server is probed, in milliseconds. */
const keepAliveMs = 5_000;

/**
 * Opens a database.
 *
 * @param mode a `reader` cannot write.
 * @param connections the most connections to PostgreSQL.
 */
export function openDatabase(
  address: DatabaseAddress,
  mode: OpenMode,
  connectMaxMs = postgresConnectMaxMs,
  connections = commandConnections,
): OpenDatabase {
  return address.dialect === "sqlite"
    ? openSqlite(address.file, mode)
    : openPostgres(address.url, mode, { connectMaxMs, connections });
}

function openSqlite(file: string, mode: OpenMode): OpenDatabase {
  const sqlite = new Sqlite(file, {
    strict: true,
    ...(mode === "reader" ? { readonly: true } : { create: true }),
  });
  sqlite.run(`pragma busy_timeout = ${sqliteBusyMs}`);
  if (mode === "writer") {
    sqlite.run("pragma journal_mode = wal");
    sqlite.run("pragma synchronous = full");
  }
  const db: Db = new Kysely({
    dialect: new SqliteDialect({
      database: {
        close: () => sqlite.close(),
        prepare(text) {
          // SQLite ends the transaction itself when the disk is full, so there is nothing to roll
          // back. The caller must see that error, not one about a missing transaction.
          if (text === "rollback" && !sqlite.inTransaction) return nothing;
          const statement = sqlite.query(text);
          return {
            reader: statement.columnNames.length > 0,
            all: (parameters) => statement.all(...bindings(parameters)),
            run: (parameters) => statement.run(...bindings(parameters)),
            iterate: (parameters) => statement.iterate(...bindings(parameters)),
          };
        },
      },
    }),
  });
  const prepared = keepPrepared(db, sqlite);
  return {
    db,
    dialect: "sqlite",
    notices: () => [],
    boundsNeedTransaction: () => false,
    reserve: async () => {},
    abort() {},
    async close() {
      prepared.close();
      await db.destroy();
    },
  };
}

const nothing = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
};

/** Safe cast: query functions bind only text, numbers and null, all of which bun:sqlite accepts. */
function bindings(parameters: readonly unknown[]): SQLQueryBindings[] {
  return parameters as SQLQueryBindings[];
}

type PoolTerms = { readonly connectMaxMs: number; readonly connections: number };

function openPostgres(
  url: string,
  mode: OpenMode,
  { connectMaxMs, connections }: PoolTerms,
): OpenDatabase {
  const sockets = new Set<Socket>();
  let notices: readonly string[] = [];
  let isPooled = false;
  const makePool = (options: string | undefined): Pool => {
    const pool = new Pool({
      connectionString: options === undefined ? url : withOptions(url, options),
      max: connections,
      // A writer keeps its connections: when it needs them again, readers may have taken the rest.
      // A reader keeps one, so that it answers however full the server is.
      ...(mode === "writer" ? { idleTimeoutMillis: 0 } : { min: 1 }),
      application_name: `tollgate-${mode}`,
      connectionTimeoutMillis: connectMaxMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
      types: { getTypeParser },
      stream: () => openSocket(sockets),
      pipeline: mode === "writer" && options !== undefined,
    });
    // Without a listener, an idle connection that breaks would end the process. The pool replaces
    // it at the next query.
    pool.on("error", () => {});
    pool.on("connect", (client) => {
      // Without a listener, a connection that breaks in a transaction would also end the process.
      // The statement itself fails with the error.
      client.on("error", () => {});
    });
    return pool;
  };
  const findPool = async (): Promise<Pool> => {
    const pool = makePool(startupOptions(mode));
    const found = await readBounds(pool);
    if (found?.has_bounds === true) return pool;
    await pool.end();
    isPooled = true;
    const plain = makePool(undefined);
    notices = pooledNotices((await readBounds(plain)) ?? found ?? noBounds);
    return plain;
  };
  let found: Promise<Pool> | undefined;
  const poolOf = async (): Promise<PostgresPool> => {
    found ??= findPool();
    // What could not connect tries it anew with the next statement.
    found.catch(() => void (found = undefined));
    return mode === "writer" ? await found : patient(await found, { connectMaxMs, connections });
  };
  const db: Db = new Kysely({
    dialect: postgresDialect(poolOf, {
      beginOf: (begin) => (isPooled ? beginWithBounds(begin, mode) : begin),
      // Poolers differ in what they do with a statement that comes before the last one is answered.
      isPipelined: () => mode === "writer" && !isPooled,
    }),
  });
  return {
    db,
    dialect: "postgres",
    notices: () => notices,
    boundsNeedTransaction: () => isPooled,
    async reserve(count = connections) {
      // Finds the pool.
      await sql`select 1`.execute(db);
      await openSeveral(await found, count);
    },
    abort() {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => await db.destroy(),
  };
}

/** Opens a socket that stands among these until it closes. */
function openSocket(sockets: Set<Socket>): Socket {
  const socket = new Socket();
  sockets.add(socket);
  socket.once("close", () => void sockets.delete(socket));
  return socket;
}

function patient(pool: Pool, { connectMaxMs, connections }: PoolTerms): PostgresPool {
  const now = () => performance.now();
  return openPatientPool(pool, { most: connections, maxMs: connectMaxMs, now });
}

/** Opens connections of a pool, which keeps them. */
async function openSeveral(pool: Pool | undefined, count: number): Promise<void> {
  const wanted = Array.from({ length: count }, async () => await pool?.connect());
  const opened = await Promise.allSettled(wanted);
  for (const one of opened) if (one.status === "fulfilled") one.value?.release();
  const refused = opened.find(({ status }) => status === "rejected");
  if (refused?.status === "rejected") throw refused.reason;
}

const noBounds: FoundBounds = { has_bounds: false, keepalive_seconds: 0 };

/**
 * Reads which settings a connection really has. Null: the server refused the connection because of
 * a parameter in its startup message.
 */
async function readBounds(pool: Pool): Promise<FoundBounds | null> {
  try {
    const { rows } = await pool.query<FoundBounds>(boundsQuery);
    return rows[0] ?? null;
  } catch (error) {
    if (isStartupRefusal(error)) return null;
    await pool.end();
    throw error;
  }
}

type Connecting = {
  /** Returns the statement that begins a transaction, made of Kysely's. */
  readonly beginOf: (begin: string) => string;
  /** Whether connections take a statement before they have answered the last one. */
  readonly isPipelined: () => boolean;
};

/** Makes Kysely's dialect of PostgreSQL, with our own way to begin and to commit transactions. */
function postgresDialect(
  pool: () => Promise<PostgresPool>,
  { beginOf, isPipelined }: Connecting,
): KyselyDialect {
  const dialect = new PostgresDialect({ pool });
  const made: KyselyDialect = {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver() {
      const driver = dialect.createDriver();
      const begin = driver.beginTransaction.bind(driver);
      driver.beginTransaction = async (connection, settings) => {
        const executeQuery: DatabaseConnection["executeQuery"] = async (query) =>
          await connection.executeQuery({ ...query, sql: beginOf(query.sql) });
        await begin({ ...connection, executeQuery }, settings);
      };
      pipelineDriver(driver, made, isPipelined);
      return driver;
    },
  };
  return made;
}

/** Adds our connection options to those in the operator's URL; ours take precedence. */
function withOptions(url: string, options: string): string {
  const address = new URL(url);
  const given = address.searchParams.get("options");
  address.searchParams.set("options", given === null ? options : `${given} ${options}`);
  return address.href;
}

const int8 = 20;
const numeric = 1700;

/**
 * Parses whole numbers of 64 bits, because PostgreSQL sends them as text. A JavaScript number holds
 * them exactly: columns are at most 2^53 − 1, and sums of them stay far below that in practice.
 */
function getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown {
  if ((oid === int8 || oid === numeric) && format !== "binary") return Number;
  return format === "binary" ? types.getTypeParser(oid, "binary") : types.getTypeParser(oid);
}
