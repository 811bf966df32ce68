/**
 * What bounds a connection to PostgreSQL: how long a statement runs, how long it waits for a row,
 * how long an open transaction may be silent, and how soon a peer that is gone is noticed. Without
 * them a node that freezes keeps its locks, and with them every other node, until it comes back.
 */

/** `reader`: nothing can be written through it. */
export type OpenMode = "reader" | "writer";

/** Longest statement; a list that takes longer is refused, not waited for. */
const statementMaxMs = 20_000;

/** Longest wait for a lock: what waits longer is tried again, and others are told meanwhile. */
const lockMaxMs = 1_000;

/** Longest silence in a transaction that may hold rows others need. */
const silentMaxMs = 3_000;

/** The same in a transaction that only reads, whose reader computes between two pages. */
const readerSilentMaxMs = 60_000;

/** A peer that does not answer probes: after so many seconds, so often, so many of them. */
const keepalive = { idleSeconds: 5, intervalSeconds: 2, count: 3 } as const;

/** Sent and not acknowledged for this long, the peer counts as gone. */
const unacknowledgedMaxMs = 10_000;

/** Of a transaction, by name. A pooler hands a connection on, so what is set must end with it. */
function transactionBounds(mode: OpenMode): readonly (readonly [string, number])[] {
  return [
    ["statement_timeout", statementMaxMs],
    ["lock_timeout", lockMaxMs],
    ["idle_in_transaction_session_timeout", mode === "reader" ? readerSilentMaxMs : silentMaxMs],
  ];
}

/** Of the whole connection, as the startup message carries them in `options`. */
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

/** The same with the statement that begins a transaction, in one message. */
export function beginWithBounds(begin: string, mode: OpenMode): string {
  const bounds = transactionBounds(mode).map(([name, value]) => `set local ${name} = ${value}`);
  const readOnly = mode === "reader" ? ["set transaction read only"] : [];
  return [begin, ...readOnly, ...bounds].join("; ");
}

/** Whether a connection has what its startup message asked for. A pooler may have left it out. */
export const boundsQuery = `
  select current_setting('statement_timeout') = '${statementMaxMs / 1_000}s'
    and current_setting('lock_timeout') = '${lockMaxMs / 1_000}s' as has_bounds,
    current_setting('tcp_keepalives_idle')::int as keepalive_seconds`;

export type FoundBounds = { readonly has_bounds: boolean; readonly keepalive_seconds: number };

/** A server that asks a silent peer this late keeps the locks of a node that is gone that long. */
const keepaliveMaxSeconds = 60;

/** What an operator should know about a connection that takes no startup parameters. */
export function pooledNotices(found: FoundBounds): string[] {
  const notices = [
    "DATABASE_URL leads through a pooler that takes no startup parameters (as PgBouncer does): " +
      "limits of time are set in each transaction instead",
  ];
  if (found.keepalive_seconds > keepaliveMaxSeconds) {
    notices.push(
      `the server asks a silent peer after ${found.keepalive_seconds} s only: set ` +
        `tcp_keepalives_idle = ${keepalive.idleSeconds} on PostgreSQL and tcp_keepidle = ` +
        `${keepalive.idleSeconds} on the pooler, or a network that drops packets holds rows locked`,
    );
  }
  return notices;
}

/** What poolers answer to a parameter in the startup message. */
export const isStartupRefusal = (error: unknown): boolean =>
  error instanceof Error && /startup parameter|command-line options/i.test(error.message);
