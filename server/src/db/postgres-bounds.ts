/**
 * Limits of a connection to PostgreSQL: how long a statement runs, how long it waits for a row, how
 * long an open transaction may be silent, and how soon a lost peer is noticed. Without them a
 * frozen node would keep its locks and block every other node.
 */

/** A `reader` connection cannot write. */
export type OpenMode = "reader" | "writer";

/** The longest time of a statement, in milliseconds. A list that takes longer is refused. */
const statementMaxMs = 20_000;

/** The longest wait for a lock, in milliseconds. The caller then tries again or refuses. */
const lockMaxMs = 1_000;

/** The longest silence in a transaction that may hold locks, in milliseconds. */
const silentMaxMs = 3_000;

/**
 * The longest silence in a transaction that only reads, in milliseconds. It is longer because a
 * reader computes between two pages.
 */
const readerSilentMaxMs = 60_000;

/**
 * TCP keep-alive. `idleSeconds`: silence before the first probe; `intervalSeconds`: time between
 * probes; `count`: how many may stay unanswered before the peer counts as lost.
 */
const keepalive = { idleSeconds: 5, intervalSeconds: 2, count: 3 } as const;

/** The peer counts as lost when it has not acknowledged sent data for this long. */
const unacknowledgedMaxMs = 10_000;

/**
 * How a reader's statements are planned. One list or chart must not take more than one core from
 * the calls beside it, so it gets no parallel workers. Compiling a statement (`jit`) takes longer
 * than running it: none of ours may run for seconds.
 */
const readerPlans: readonly (readonly [string, number | string])[] = [
  ["max_parallel_workers_per_gather", 0],
  ["jit", "off"],
];

/**
 * Returns the settings of a transaction. A pooler shares connections, so the settings must end with
 * the transaction.
 */
function transactionBounds(mode: OpenMode): readonly (readonly [string, number | string])[] {
  return [
    ...(mode === "reader" ? readerPlans : []),
    ["statement_timeout", statementMaxMs],
    ["lock_timeout", lockMaxMs],
    ["idle_in_transaction_session_timeout", mode === "reader" ? readerSilentMaxMs : silentMaxMs],
  ];
}

/** Returns the settings of the whole connection, to be sent as `options` of the startup message. */
export function startupOptions(mode: OpenMode): string {
  const settings: (readonly [string, number | string])[] = [
    ...transactionBounds(mode),
    ["tcp_keepalives_idle", keepalive.idleSeconds],
    ["tcp_keepalives_interval", keepalive.intervalSeconds],
    ["tcp_keepalives_count", keepalive.count],
    ["tcp_user_timeout", unacknowledgedMaxMs],
    ...(mode === "reader" ? [["default_transaction_read_only", "on"] as const] : []),
  ];
  return settings.map(([name, value]) => `-c ${name}=${value}`).join(" ");
}

/**
 * Returns one text with the statement that begins a transaction and the settings, so that the
 * settings need no message of their own.
 */
export function beginWithBounds(begin: string, mode: OpenMode): string {
  const bounds = transactionBounds(mode).map(([name, value]) => `set local ${name} = ${value}`);
  const readOnly = mode === "reader" ? ["set transaction read only"] : [];
  return [begin, ...readOnly, ...bounds].join("; ");
}

/**
 * Asks which settings the connection has. A pooler may have dropped those of the startup message.
 */
export const boundsQuery = `
  select current_setting('statement_timeout') = '${statementMaxMs / 1_000}s'
    and current_setting('lock_timeout') = '${lockMaxMs / 1_000}s' as has_bounds,
    current_setting('tcp_keepalives_idle')::int as keepalive_seconds`;

export type FoundBounds = { readonly has_bounds: boolean; readonly keepalive_seconds: number };

/**
 * If PostgreSQL probes a silent peer only after a longer time than this, the operator is warned:
 * the locks of a lost node stay that long.
 */
const keepaliveMaxSeconds = 60;

/**
 * Returns warnings for the operator about a connection through a pooler that drops the settings of
 * the startup message.
 */
export function pooledNotices(found: FoundBounds): string[] {
  const notices = [
    "DATABASE_URL leads to a pooler that takes no startup parameters (such as PgBouncer): " +
      "time limits are set in each transaction instead",
  ];
  if (found.keepalive_seconds > keepaliveMaxSeconds) {
    notices.push(
      `the server probes a silent peer only after ${found.keepalive_seconds} s: set ` +
        `tcp_keepalives_idle = ${keepalive.idleSeconds} on PostgreSQL and tcp_keepidle = ` +
        `${keepalive.idleSeconds} on the pooler, or row locks stay for that long when the network drops packets`,
    );
  }
  return notices;
}

/** Whether an error means that a pooler refused a parameter of the startup message. */
export const isStartupRefusal = (error: unknown): boolean =>
  error instanceof Error && /startup parameter|command-line options/i.test(error.message);
