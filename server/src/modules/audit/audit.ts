/**
 * The audit log: who did what to whom. The rows form a hash chain: the hash of each row covers the
 * row and the hash of the row before it. The chain's head, which is the number of rows and the last
 * hash, is stored separately. So a row that was changed, removed or added other than by
 * `appendAudit` is detected.
 *
 * The transaction that makes a change appends the audit entry as its last statement, because
 * appending locks the chain's head: until the transaction ends, others that append an entry wait.
 */

import type { Selectable } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import { hashText } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { noteWritten } from "#db/written.ts";
import type { AuditTable } from "#db/tables/audit.ts";
import type { Caller } from "#http/handler.ts";

import type { NotedRow } from "./noted-rows.ts";

export {
  type NotedKind,
  type NotedRow,
  noteRow,
  parseState,
  readNoted,
  type RowState,
  stateText,
} from "./noted-rows.ts";

/** Who made an audited change, and from which client address. */
export type Actor = Pick<Caller, "userId" | "username" | "clientIp">;

/** The actor of changes that the gateway makes by itself. */
export const systemActor: Actor = { userId: 0, username: "", clientIp: "" };

export type AuditNote = {
  readonly actor: Actor;
  /** Noun and verb, e.g. `token.reveal`. */
  readonly action: string;
  /** Noun and id, e.g. `token:17`. */
  readonly target: string;
  /** The values before and after, without secrets; stored as JSON. Absent for no details. */
  readonly detail?: object;
  /** The row that was changed, if the audit log proves it, and its state after the change. */
  readonly row?: NotedRow | undefined;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Returns the part of a caller that stores need for audit entries. Stores run on another thread,
 * and a whole `Caller` cannot be sent between threads. Of a call for an organisation it is the person
 * who makes it.
 */
export function actorOf({ userId, username, clientIp, person }: Caller): Actor {
  return { userId, username, clientIp, ...person };
}

const headKey = "audit_head";

/** The longest text that a column of an audit row stores, in characters; a longer text is cut. */
const detailMax = 4_000;

type Head = { readonly count: number; readonly hash: string };

export async function appendAudit(tx: Db, note: AuditNote): Promise<void> {
  const head = await lockHead(tx);
  const row = {
    created_at: unixSeconds(note.nowMs),
    actor_id: note.actor.userId,
    actor_name: storable(note.actor.username),
    client_ip: storable(note.actor.clientIp),
    action: note.action,
    target: storable(note.target),
    detail: note.detail === undefined ? "" : storable(JSON.stringify(note.detail)),
    row_kind: note.row?.kind ?? "",
    row_id: note.row?.id ?? 0,
    row_state: note.row?.state ?? "",
  };
  const hash = chainHash(head.hash, row);
  await tx
    .insertInto("audit_log")
    .values({ ...row, hash })
    .execute();
  await tx
    .updateTable("meta")
    .set({ value: showHead({ count: head.count + 1, hash }) })
    .where("key", "=", headKey)
    .execute();
  noteWritten(tx, { kind: "audit", hash, what: `${row.action} ${row.target}` });
}

/**
 * Locks the chain's head until the transaction ends. The very first audit entry creates the head.
 */
async function lockHead(tx: Db): Promise<Head> {
  await tx
    .insertInto("meta")
    .values({ key: headKey, value: showHead({ count: 0, hash: "" }) })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const query = tx.selectFrom("meta").select("value").where("key", "=", headKey);
  return readHead((await lockRows(tx, query).executeTakeFirstOrThrow()).value);
}

function showHead({ count, hash }: Head): string {
  return `${count} ${hash}`;
}

function readHead(text: string): Head {
  const [count = "", hash = ""] = text.split(" ");
  return { count: Number(count), hash };
}

type Hashed = Omit<Selectable<AuditTable>, "id" | "hash">;

function chainHash(previous: string, row: Hashed): string {
  const text = JSON.stringify([
    previous,
    row.created_at,
    row.actor_id,
    row.actor_name,
    row.client_ip,
    row.action,
    row.target,
    row.detail,
    // Entries from before there were noted rows have a hash without them.
    ...(isNoted(row) ? [row.row_kind, row.row_id, row.row_state] : []),
  ]);
  return hashText(text);
}

function isNoted({ row_kind, row_id, row_state }: Hashed): boolean {
  return row_kind !== "" || row_id !== 0 || row_state !== "";
}

/**
 * Makes a text storable: replaces characters that a database refuses and cuts a long text, so that
 * both databases return it unchanged and the row's hash still matches.
 */
function storable(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}").toWellFormed().slice(0, detailMax).toWellFormed();
}

/** Whether a row's hash matches its contents and the hash of the row before it. */
export function followsFrom(previous: string, row: Hashed & { readonly hash: string }): boolean {
  return chainHash(previous, row) === row.hash;
}

export type AuditProof =
  | { readonly ok: true; readonly count: number }
  | {
      readonly ok: false;
      /** How many rows are valid before the first invalid or missing one. */
      readonly count: number;
      /** Id of the first invalid row; null if rows are missing at the end. */
      readonly id: number | null;
    };

/** How many rows a verification reads from the database at a time. */
const verifyBatch = 1_000;

/**
 * Verifies the audit log by recomputing the whole hash chain. Entries may be appended meanwhile.
 */
export async function verifyAudit(db: Db): Promise<AuditProof> {
  const chain: Chain = { hash: "", count: 0, after: 0 };
  const broken = (id: number | null) => ({ ok: false, count: chain.count, id }) as const;
  for (;;) {
    // The head is read before the rows. It is committed together with the rows that it counts, so
    // if fewer rows are found, some were removed.
    const before = await loadHead(db);
    const id = await follow(db, chain);
    if (id !== null || before.count > chain.count) return broken(id);
    const { count, hash } = await loadHead(db);
    // Rows were appended while this pass ran; the next pass continues after the last verified row.
    if (count > chain.count) continue;
    const isWhole = count === chain.count && hash === chain.hash;
    return isWhole ? { ok: true, count } : broken(null);
  }
}

/**
 * How far the chain was verified: the hash of the last verified row, the number of verified rows,
 * and the id of the last.
 */
type Chain = { hash: string; count: number; after: number };

/**
 * Verifies the rows after `chain.after` up to the last one, and advances `chain`. Returns the id of
 * the first invalid row; null if there is none.
 */
async function follow(db: Db, chain: Chain): Promise<number | null> {
  for (;;) {
    const rows = await db
      .selectFrom("audit_log")
      .selectAll()
      .where("id", ">", chain.after)
      .orderBy("id")
      .limit(verifyBatch)
      .execute();
    for (const row of rows) {
      if (!followsFrom(chain.hash, row)) return row.id;
      chain.hash = row.hash;
      chain.count += 1;
      chain.after = row.id;
    }
    if (rows.length < verifyBatch) return null;
  }
}

async function loadHead(db: Db): Promise<Head> {
  const head = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", headKey)
    .executeTakeFirst();
  return head === undefined ? { count: 0, hash: "" } : readHead(head.value);
}
