/**
 * The nodes that share a database, and which of them are dead. All times come from the database's
 * clock, read while a statement runs: the clocks of nodes differ, and a time that is sent with a
 * statement is outdated if the statement has to wait.
 *
 * A node writes under the number of its epoch. To take another node for dead, a node first raises
 * the other's epoch, then releases its holds; from then on nothing that the other writes under the
 * old epoch is committed.
 */

import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { databaseMs, dialectOf, isStoreFailure } from "#db/dialect.ts";

/**
 * A node without a heartbeat for this long is taken for dead: other nodes end its epoch and release
 * its reservations.
 */
export const nodeDeadMs = 10_000;

/** Interval of a node's heartbeats. */
export const heartbeatMs = 1_000;

/**
 * If a node's own heartbeats had a gap of this length, the time for which it has watched the other
 * nodes starts again.
 */
const gapMaxMs = 4_000;

/** The node and its epoch under which a transaction writes. */
export type NodeEpoch = { readonly nodeId: string; readonly epoch: number };

/** What the database answers to a heartbeat. */
export type Beat =
  /** `atMs` is the database's time. */
  | { readonly kind: "acknowledged"; readonly atMs: number }
  /** Another node has ended the epoch. */
  | { readonly kind: "ended" }
  /** The node's row is missing, or older than what the database has acknowledged. */
  | { readonly kind: "behind" };

/**
 * Renews a node's heartbeat.
 * @param seenMs the time of the last heartbeat that the database acknowledged; 0: none was.
 */
export async function beat(tx: Db, node: NodeEpoch, seenMs: number): Promise<Beat> {
  const { nodeId, epoch } = node;
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
    .where("heartbeat_at", ">=", seenMs)
    .returning("heartbeat_at")
    .executeTakeFirst();
  if (found !== undefined) return { kind: "acknowledged", atMs: found.heartbeat_at };
  return { kind: (await isBehind(tx, node, seenMs)) ? "behind" : "ended" };
}

/** Whether the database shows less of a node than it has acknowledged. */
async function isBehind(db: Db, { nodeId, epoch }: NodeEpoch, seenMs: number): Promise<boolean> {
  const row = await db
    .selectFrom("nodes")
    .select(["epoch", "heartbeat_at"])
    .where("id", "=", nodeId)
    .executeTakeFirst();
  return row === undefined || row.epoch < epoch || row.heartbeat_at < seenMs;
}

/** The new epoch of a node. */
export type Joined = {
  readonly epoch: number;
  /** The database's time. */
  readonly atMs: number;
  /** Whether the database showed less of the node than it had acknowledged. */
  readonly isBehind: boolean;
};

/** Begins a new epoch, as `joinNodes` does, and tells what the database knew of the last one. */
export async function rejoinNodes(tx: Db, node: NodeEpoch, seenMs: number): Promise<Joined> {
  const wasBehind = node.epoch > 0 && (await isBehind(tx, node, seenMs));
  const epoch = await joinNodes(tx, node);
  const { atMs } = await tx
    .selectFrom("nodes")
    .select("heartbeat_at as atMs")
    .where("id", "=", node.nodeId)
    .executeTakeFirstOrThrow();
  return { epoch, atMs, isBehind: wasBehind };
}

/**
 * Reads which history the database is in: it changes when a standby is promoted, and when the
 * database is restored from a backup. Empty: this server or this role does not tell.
 */
export async function readLineage(db: Db): Promise<string> {
  try {
    const { rows } = await sql<{ lineage: string }>`
      select system_identifier || ':' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
        as lineage from pg_control_system()`.execute(db);
    return rows[0]?.lineage ?? "";
  } catch (error) {
    if (isStoreFailure(error) && !isUntold(error)) throw error;
    return "";
  }
}

/** Whether the server has no such function, or this role may not call it. */
function isUntold(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(42501|42883)$/.test(String(error.code));
}

/**
 * Begins a new epoch of this node. It is larger than `after`, the node's last epoch (0 if there was
 * none). Reservations that no other node has released move to the new epoch.
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
      // The node has not reported a version of the configuration yet; 0 makes sure that no change
      // which it may not have applied is removed.
      config_version: 0,
      draining: 0,
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

/** Stores the version of the configuration that the node has applied. */
export async function noteConfigVersion(tx: Db, nodeId: string, version: number): Promise<void> {
  await tx.updateTable("nodes").set({ config_version: version }).where("id", "=", nodeId).execute();
}

/**
 * Locks the node's epoch until the transaction ends, so that no other node can end it in the
 * meantime. Locks only the key of the row, which includes the epoch (index `nodes_epoch`), so that
 * heartbeats can still update the row.
 * @returns false if the epoch has ended.
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
 * Makes the check of `lockEpoch` as an SQL condition, for a statement that locks other rows. The
 * epoch is locked before the first of those rows.
 */
export function isEpochLocked({ nodeId, epoch }: NodeEpoch): RawBuilder<boolean> {
  return sql<boolean>`exists (
    with locked as materialized (
      select 1 from nodes where id = ${nodeId} and epoch = ${epoch} for key share)
    select 1 from locked)`;
}

type LostNodes = {
  /** Nodes that sent no heartbeat for so long that their epochs have to be ended. */
  readonly silent: readonly string[];
  /**
   * Ids of nodes with reservations or records of the journal that belong to an ended epoch: the
   * records have to be written into the books, then the reservations to be released.
   */
  readonly ended: readonly string[];
};

/**
 * Finds nodes that are dead, and nodes with reservations to release. A node counts as silent only
 * if it sent no heartbeat while this node did: after an outage of the database, in which no node
 * could send any, every node gets time to come back.
 */
export async function findLostNodes(db: Db, nodeId: string): Promise<LostNodes> {
  const silent = await db
    .selectFrom("nodes")
    .select("id")
    .where("id", "<>", nodeId)
    .where(isSilent(db, nodeId))
    .execute();
  const ended = [...(await findEnded(db, "reservations")), ...(await findEnded(db, "journal"))];
  return { silent: silent.map(({ id }) => id), ended: [...new Set(ended)] };
}

/** Finds nodes with rows of ended epochs. */
async function findEnded(db: Db, table: "journal" | "reservations"): Promise<string[]> {
  const { rows } = await sql<{ node_id: string }>`
    select distinct node_id from ${sql.table(table)} as rows_of
    where not exists (
      select 1 from nodes where nodes.id = rows_of.node_id and nodes.epoch = rows_of.epoch)`.execute(
    db,
  );
  return rows.map(({ node_id }) => node_id);
}

function isSilent(db: Db, watchingId: string): RawBuilder<boolean> {
  const due = sql`${databaseMs(db)} - ${sql.lit(nodeDeadMs)}`;
  return sql<boolean>`heartbeat_at < ${due} and exists (
    select 1 from nodes as watching
    where watching.id = ${watchingId} and watching.started_at <= ${due}
      and watching.heartbeat_at >= ${databaseMs(db)} - ${sql.lit(gapMaxMs)})`;
}

/**
 * Ends the epochs of the nodes that `watchingId` has seen silent for too long. With `watchingId`
 * null: ends all of them, because their processes are known to have ended. Skips an epoch under
 * which a transaction is committing; the next run ends it.
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
 * Ends every epoch but this node's. Called by the only owner of a SQLite database.
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

/**
 * Removes nodes that are dead by the same conditions as in `endEpochs` and have no reservations
 * and no records of the journal left.
 */
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
    .where(sql<boolean>`not exists (select 1 from journal where node_id = nodes.id)`)
    .execute();
  await tx
    .deleteFrom("journal_heads")
    .where("node_id", "in", [...nodeIds])
    .where(sql<boolean>`not exists (select 1 from nodes where id = journal_heads.node_id)`)
    .execute();
}

/** Whether the database knows a node. */
export async function hasNode(db: Db, nodeId: string): Promise<boolean> {
  const found = await db
    .selectFrom("nodes")
    .select("id")
    .where("id", "=", nodeId)
    .executeTakeFirst();
  return found !== undefined;
}

/** Notes that a node is shutting down. */
export async function noteDraining(tx: Db, nodeId: string): Promise<void> {
  await tx.updateTable("nodes").set({ draining: 1 }).where("id", "=", nodeId).execute();
}

/** Counts the nodes that share the database, are not silent, and are not shutting down. */
export async function countNodes(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom("nodes")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("draining", "=", 0)
    .where(sql<boolean>`heartbeat_at >= ${databaseMs(db)} - ${sql.lit(nodeDeadMs)}`)
    .executeTakeFirstOrThrow();
  return Number(count);
}
