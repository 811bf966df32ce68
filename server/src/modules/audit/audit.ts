/**
 * Who did what to whom. Each row's hash covers the row before it, and count and last hash stand
 * apart, so that a row changed, removed or added behind our back is found.
 *
 * A note is appended by the transaction that does what it tells of, as its last statement: from
 * then on it holds the chain's head, and other notes wait until it ends.
 */

import { createHash } from "node:crypto";
import type { Selectable } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { AuditTable } from "#db/tables/audit.ts";
import type { Caller } from "#http/handler.ts";

/** Who did it, and from where; the part of a caller that is plain data. */
export type Actor = Pick<Caller, "userId" | "username" | "clientIp">;

/** What the gateway does on its own account. */
export const systemActor: Actor = { userId: 0, username: "", clientIp: "" };

export type AuditNote = {
  readonly actor: Actor;
  /** Noun and verb, e.g. `token.reveal`. */
  readonly action: string;
  /** Noun and id, e.g. `token:17`. */
  readonly target: string;
  /** What it was before and after, without any secret; becomes JSON text. Absent: nothing to add. */
  readonly detail?: object;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** The part of a caller that a store needs: callers themselves do not cross threads. */
export function actorOf({ userId, username, clientIp }: Caller): Actor {
  return { userId, username, clientIp };
}

const headKey = "audit_head";

/** Longest detail, in characters; what is longer is cut. */
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
}

/** The head stays locked until the transaction ends. The first note ever makes it. */
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
  ]);
  return createHash("sha256").update(text).digest("hex");
}

/** Text that both databases give back as they took it. */
function storable(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}").toWellFormed().slice(0, detailMax).toWellFormed();
}

/** Whether a row's hash is the one that its text and the hash before it make. */
export function followsFrom(previous: string, row: Hashed & { readonly hash: string }): boolean {
  return chainHash(previous, row) === row.hash;
}

export type AuditProof =
  | { readonly ok: true; readonly count: number }
  | {
      readonly ok: false;
      /** Rows before it that follow from one another. */
      readonly count: number;
      /** The first row that does not follow; null: rows are missing at the end. */
      readonly id: number | null;
    };

/** Rows read at a time. */
const verifyBatch = 1_000;

/** Recomputes the whole chain; notes may be appended meanwhile. */
export async function verifyAudit(db: Db): Promise<AuditProof> {
  const chain: Chain = { hash: "", count: 0, after: 0 };
  const broken = (id: number | null) => ({ ok: false, count: chain.count, id }) as const;
  for (;;) {
    // Read first: a row is committed with its head, so all rows of this one are there.
    const before = await loadHead(db);
    const id = await follow(db, chain);
    if (id !== null || before.count > chain.count) return broken(id);
    const { count, hash } = await loadHead(db);
    // More came meanwhile: the next round reads on from here.
    if (count > chain.count) continue;
    const isWhole = count === chain.count && hash === chain.hash;
    return isWhole ? { ok: true, count } : broken(null);
  }
}

/** How far the chain was followed: the hash of the last row, how many, and its id. */
type Chain = { hash: string; count: number; after: number };

/** Follows the chain to the last row there is. The first row that breaks it; null: none does. */
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
