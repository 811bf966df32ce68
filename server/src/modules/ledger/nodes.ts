/** The processes that share a database, and which of them are gone. */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";

/** A node that has not renewed its heartbeat for this long has lost its reservations. */
export const nodeDeadMs = 10_000;

/** How often a node renews it. */
export const heartbeatMs = 2_000;

export async function beat(tx: Db, nodeId: string, nowMs: number): Promise<void> {
  await tx
    .insertInto("nodes")
    .values({ id: nodeId, started_at: nowMs, heartbeat_at: nowMs })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ heartbeat_at: nowMs }))
    .execute();
}

/**
 * Nodes whose reservations nobody will end. On SQLite every other one, because the database has
 * one owner at a time; elsewhere clocks of nodes must agree within a few seconds.
 */
export async function findDeadNodes(db: Db, nodeId: string, nowMs: number): Promise<string[]> {
  let query = db.selectFrom("nodes").select("id").where("id", "<>", nodeId);
  if (dialectOf(db) === "postgres") query = query.where("heartbeat_at", "<", nowMs - nodeDeadMs);
  const rows = await query.execute();
  return rows.map(({ id }) => id);
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
