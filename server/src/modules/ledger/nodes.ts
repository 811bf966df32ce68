/** The processes that share a database, and which of them are gone. */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";

/** A node that has not renewed its heartbeat for this long has lost its reservations. */
export const nodeDeadMs = 10_000;

/** How often a node renews it. */
export const heartbeatMs = 2_000;

/** Without a renewal for this long, a node starts anew to watch the others. */
const gapMaxMs = 2 * heartbeatMs;

export async function beat(tx: Db, nodeId: string, nowMs: number): Promise<void> {
  await tx
    .insertInto("nodes")
    .values({ id: nodeId, started_at: nowMs, heartbeat_at: nowMs })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({
        heartbeat_at: nowMs,
        started_at: sql<number>`case
          when nodes.heartbeat_at < cast(${nowMs - gapMaxMs} as bigint)
          then excluded.started_at else nodes.started_at end`,
      }),
    )
    .execute();
}

/**
 * Nodes whose reservations nobody will end. On SQLite every other one, because the database has
 * one owner at a time. Elsewhere those that were silent while this one was not: after an outage
 * of the database, in which nobody could renew anything, everybody gets time to come back. Clocks
 * of nodes must agree within a few seconds.
 */
export async function findDeadNodes(db: Db, nodeId: string, nowMs: number): Promise<string[]> {
  let silent = db.selectFrom("nodes").select("id").where("id", "<>", nodeId);
  if (dialectOf(db) === "postgres") {
    const due = nowMs - nodeDeadMs;
    silent = silent
      .where("heartbeat_at", "<", due)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("nodes as watching")
            .select("watching.id")
            .where("watching.id", "=", nodeId)
            .where("watching.started_at", "<=", due),
        ),
      );
  }
  const rows = await silent.execute();
  return [...rows.map(({ id }) => id), ...(await findUnknownNodes(db, nodeId))];
}

/** Nodes that were removed while a last transaction of theirs was still being committed. */
async function findUnknownNodes(db: Db, nodeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("reservations")
    .select("node_id")
    .distinct()
    .where("node_id", "<>", nodeId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("nodes").select("nodes.id").whereRef("nodes.id", "=", "reservations.node_id"),
        ),
      ),
    )
    .execute();
  return rows.map((row) => row.node_id);
}

/** Removes nodes that have nothing left to release. */
export async function removeNodes(tx: Db, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  await tx
    .deleteFrom("nodes")
    .where("id", "in", [...nodeIds])
    .where(sql<boolean>`not exists (select 1 from reservations where node_id = nodes.id)`)
    .execute();
}
