/**
 * The nodes that share a database, and which of them are dead. All times are the database's own,
 * read while a statement runs, because the clocks of nodes differ and a time sent with a statement
 * is as old as the statement waited. A node writes in the name of its epoch. A node that takes
 * another one for dead first raises the other's epoch, then releases its holds; from then on
 * nothing of the old epoch is committed.
 */

import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { databaseMs, dialectOf } from "#db/dialect.ts";

/** A node without a heartbeat for this long loses its epoch and its reservations. */
export const nodeDeadMs = 10_000;

/** Interval of a node's heartbeats. */
export const heartbeatMs = 1_000;

/** After a gap of this length in its own heartbeats, a node starts again to watch the others. */
const gapMaxMs = 4_000;

/** The node and epoch that a transaction writes for. */
export type NodeEpoch = { readonly nodeId: string; readonly epoch: number };

/**
 * Renews the heartbeat.
 * @returns the database's time; null: the epoch has ended.
 */
export async function beat(tx: Db, { nodeId, epoch }: NodeEpoch): Promise<number | null> {
  const now = databaseMs(tx);
  const found = await tx
    .updateTable("nodes")
    .set({
      heartbeat_at: now,
      started_at: sql<number>`case
        when heartbeat_at < ${now} - ${sql.lit(gapMaxMs)} then ${now} else started_at end`,
    })
    .where("id", "=", nodeId)
    .where("epoch", "=", epoch)
    .returning("heartbeat_at")
    .executeTakeFirst();
  return found?.heartbeat_at ?? null;
}

/**
 * Begins a new epoch of this node, later than `after`; 0: it had none. Holds that no other node has
 * released belong to the new epoch.
 */
export async function joinNodes(tx: Db, { nodeId, epoch: after }: NodeEpoch): Promise<number> {
  const now = databaseMs(tx);
  const { epoch } = await tx
    .insertInto("nodes")
    .values({
      id: nodeId,
      epoch: after + 1,
      started_at: now,
      heartbeat_at: now,
      // Until the node reports its version, no change that it may lack is removed.
      config_version: 0,
    })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({
        epoch: sql<number>`
          case when nodes.epoch > excluded.epoch then nodes.epoch else excluded.epoch end + 1`,
        started_at: now,
        heartbeat_at: now,
      }),
    )
    .returning("epoch")
    .executeTakeFirstOrThrow();
  if (after > 0) {
    await tx.updateTable("reservations").set({ epoch }).where("node_id", "=", nodeId).execute();
  }
  return epoch;
}

/** Stores up to which change of configuration the node has applied them. */
export async function noteConfigVersion(tx: Db, nodeId: string, version: number): Promise<void> {
  await tx.updateTable("nodes").set({ config_version: version }).where("id", "=", nodeId).execute();
}

/**
 * Locks the node's epoch until the transaction ends, so that no other node can end it meanwhile.
 * False: it has ended. Only the key of the row is locked, so that heartbeats are not blocked; see
 * `nodes_epoch`.
 */
export async function lockEpoch(tx: Db, { nodeId, epoch }: NodeEpoch): Promise<boolean> {
  const found = await tx
    .selectFrom("nodes")
    .select("id")
    .where("id", "=", nodeId)
    .where("epoch", "=", epoch)
    .$if(dialectOf(tx) === "postgres", (query) => query.forKeyShare())
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * The same as a condition of a statement that locks other rows. The epoch is locked before the
 * first of these rows.
 */
export function isEpochLocked({ nodeId, epoch }: NodeEpoch): RawBuilder<boolean> {
  return sql<boolean>`exists (
    with locked as materialized (
      select 1 from nodes where id = ${nodeId} and epoch = ${epoch} for key share)
    select 1 from locked)`;
}

type LostNodes = {
  /** Silent for so long that their epochs have to be ended. */
  readonly silent: readonly string[];
  /** Nodes with reservations of an ended epoch. */
  readonly ended: readonly string[];
};

/**
 * Finds epochs to end and reservations to release. A node counts as silent if it sent no heartbeat
 * while this node sent some: after an outage of the database, when no node could, every node gets
 * time to come back.
 */
export async function findLostNodes(db: Db, nodeId: string): Promise<LostNodes> {
  const silent = await db
    .selectFrom("nodes")
    .select("id")
    .where("id", "<>", nodeId)
    .where(isSilent(db, nodeId))
    .execute();
  const ended = await db
    .selectFrom("reservations")
    .select("node_id")
    .distinct()
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("nodes")
            .select("nodes.id")
            .whereRef("nodes.id", "=", "reservations.node_id")
            .whereRef("nodes.epoch", "=", "reservations.epoch"),
        ),
      ),
    )
    .execute();
  return { silent: silent.map(({ id }) => id), ended: ended.map((row) => row.node_id) };
}

function isSilent(db: Db, watchingId: string): RawBuilder<boolean> {
  const due = sql`${databaseMs(db)} - ${sql.lit(nodeDeadMs)}`;
  return sql<boolean>`heartbeat_at < ${due} and exists (
    select 1 from nodes as watching
    where watching.id = ${watchingId} and watching.started_at <= ${due})`;
}

/**
 * Ends the epochs of nodes that are silent as seen by `watchingId`; null: of any of them, because
 * their processes are known to have ended. An epoch whose node is committing at this moment is left
 * for the next run.
 * @returns the nodes whose epochs were ended.
 */
export async function endEpochs(
  tx: Db,
  nodeIds: readonly string[],
  watchingId: string | null,
): Promise<string[]> {
  if (nodeIds.length === 0) return [];
  const due = tx
    .selectFrom("nodes")
    .select("id")
    .where("id", "in", [...nodeIds])
    .$if(watchingId !== null, (query) => query.where(isSilent(tx, watchingId ?? "")))
    .$if(dialectOf(tx) === "postgres", (query) => query.forUpdate().skipLocked());
  const ended = await tx
    .updateTable("nodes")
    .set({ epoch: sql<number>`epoch + 1` })
    .where("id", "in", due)
    .returning("id")
    .execute();
  return ended.map(({ id }) => id);
}

/**
 * Ends every epoch but the caller's, for the only owner of a SQLite database.
 * @returns the nodes whose epochs were ended.
 */
export async function endOtherEpochs(tx: Db, nodeId: string): Promise<string[]> {
  const ended = await tx
    .updateTable("nodes")
    .set({ epoch: sql<number>`epoch + 1` })
    .where("id", "<>", nodeId)
    .returning("id")
    .execute();
  return ended.map(({ id }) => id);
}

/** Removes those of the nodes that `endEpochs` would end and that have no reservations left. */
export async function removeNodes(
  tx: Db,
  nodeIds: readonly string[],
  watchingId: string | null,
): Promise<void> {
  if (nodeIds.length === 0) return;
  await tx
    .deleteFrom("nodes")
    .where("id", "in", [...nodeIds])
    .$if(watchingId !== null, (query) => query.where(isSilent(tx, watchingId ?? "")))
    .where(sql<boolean>`not exists (select 1 from reservations where node_id = nodes.id)`)
    .execute();
}
