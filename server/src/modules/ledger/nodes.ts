/**
 * The processes that share a database, and which of them are gone. All times are the database's
 * own, read inside the statements: clocks of nodes differ, and what waited carries an old time.
 *
 * A node writes in the name of its epoch. Whoever thinks it dead raises the epoch first and
 * releases then; from that moment nothing of the old epoch is committed any more.
 */

import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { databaseMs, dialectOf } from "#db/dialect.ts";

/** A node that has not renewed its heartbeat for this long has lost its reservations. */
export const nodeDeadMs = 10_000;

/** How often a node renews it. */
export const heartbeatMs = 1_000;

/** Without a renewal for this long, a node starts anew to watch the others. */
const gapMaxMs = 4_000;

/** What a transaction of a node carries to show that nobody thinks the node dead. */
export type NodeEpoch = { readonly nodeId: string; readonly epoch: number };

/** Renews the heartbeat. Gives the database's time; null: the epoch has ended. */
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
 * Begins a new epoch of this node, later than `after`; 0: it had none. What it holds and nobody
 * released goes on in the new epoch.
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
      // Until it has said what it knows, nothing is removed that it may not know.
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

/** Notes which changes of configuration the node has applied. */
export async function noteConfigVersion(tx: Db, nodeId: string, version: number): Promise<void> {
  await tx.updateTable("nodes").set({ config_version: version }).where("id", "=", nodeId).execute();
}

/**
 * Keeps the node's epoch from being ended until the transaction is. False: it has ended.
 *
 * The key is locked and not the row, so that a heartbeat passes; see `nodes_epoch`.
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

/** The same as a condition of a statement that locks other rows: it holds before the first is. */
export function isEpochLocked({ nodeId, epoch }: NodeEpoch): RawBuilder<boolean> {
  return sql<boolean>`exists (
    with locked as materialized (
      select 1 from nodes where id = ${nodeId} and epoch = ${epoch} for key share)
    select 1 from locked)`;
}

type LostNodes = {
  /** Silent for so long that their epochs must be ended. */
  readonly silent: readonly string[];
  /** With reservations of an epoch that has ended. */
  readonly ended: readonly string[];
};

/**
 * What there is to end and to release. A node is silent when it did not renew its heartbeat while
 * this one did: after an outage of the database, in which nobody could, everybody gets time to come
 * back.
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
 * Ends the epochs of nodes that are silent as `watchingId` sees it; null: of any of them, because
 * their process is known to be gone. One that is just committing keeps its epoch until next time.
 *
 * @returns those whose epochs were ended.
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

/** The one owner of a SQLite database ends every epoch but its own. Gives the nodes they were of. */
export async function endOtherEpochs(tx: Db, nodeId: string): Promise<string[]> {
  const ended = await tx
    .updateTable("nodes")
    .set({ epoch: sql<number>`epoch + 1` })
    .where("id", "<>", nodeId)
    .returning("id")
    .execute();
  return ended.map(({ id }) => id);
}

/** Removes those of the nodes that `endEpochs` would end and that have nothing left to release. */
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
