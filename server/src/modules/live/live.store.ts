/** What nodes tell each other of running calls, and the orders to stop them. */

import { type Expression, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { databaseMs } from "#db/dialect.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { nodeDeadMs } from "#modules/ledger/ledger.ts";

/** How long an order to stop calls is kept, in milliseconds: every node has read it long before. */
const stopKeptMs = 600_000;

/** How long a node that has ended is remembered, in milliseconds. */
const nodeKeptMs = 60_000;

/** An order to stop calls, as it is stored. */
type StoredStop = { readonly id: number; readonly body: string };

/** What a node has to do for others. */
type Orders = {
  /** The database's time, Unix milliseconds. */
  readonly nowMs: number;
  /** Whether somebody watches at any node. */
  readonly watched: boolean;
  readonly stops: readonly StoredStop[];
};

/**
 * Reads what a node has to do for others.
 *
 * @param sinceMs orders from before, by the database's clock, are not this process's; null: the
 *   process has just begun.
 */
async function readOrders(db: Db, nodeId: string, sinceMs: number | null): Promise<Orders> {
  const now = databaseMs(db);
  const { nowMs, watchers } = await db
    .selectNoFrom((eb) => [
      now.as("nowMs"),
      eb
        .selectFrom("live_nodes")
        .select(eb.fn.countAll<number>().as("count"))
        .where(sql<boolean>`watches_until > ${now}`)
        .as("watchers"),
    ])
    .executeTakeFirstOrThrow();
  const stops =
    sinceMs === null
      ? []
      : await db
          .selectFrom("live_stops")
          .select(["id", "body"])
          .where("created_at", ">=", sinceMs)
          .where(({ exists, not, selectFrom }) =>
            not(
              exists(
                selectFrom("live_stop_answers")
                  .select("stop_id")
                  .whereRef("stop_id", "=", "live_stops.id")
                  .where("node_id", "=", nodeId),
              ),
            ),
          )
          .orderBy("id")
          .execute();
  return { nowMs: Number(nowMs), watched: Number(watchers) > 0, stops };
}

/** What a node tells of the calls that run on it. */
type NodeCalls = {
  readonly nodeId: string;
  readonly name: string;
  readonly total: number;
  readonly isDraining: boolean;
  /** JSON text. */
  readonly calls: string;
};

/** Stores what runs on a node. */
async function putNode(tx: Db, { nodeId, name, total, isDraining, calls }: NodeCalls) {
  const told = { name, total, is_draining: isDraining ? 1 : 0, calls };
  const at = databaseMs(tx);
  await tx
    .insertInto("live_nodes")
    .values({ node_id: nodeId, watches_until: 0, at, ...told })
    .onConflict((conflict) => conflict.column("node_id").doUpdateSet({ at, ...told }))
    .execute();
}

/** Says that somebody watches at a node for the next `ms`, and forgets nodes that have ended. */
async function keepWatch(tx: Db, nodeId: string, ms: number): Promise<void> {
  const until = sql<number>`${databaseMs(tx)} + ${sql.lit(ms)}`;
  await tx
    .updateTable("live_nodes")
    .set({ watches_until: until })
    .where("node_id", "=", nodeId)
    .execute();
  await tx
    .deleteFrom("live_nodes")
    .where(sql<boolean>`at < ${databaseMs(tx)} - ${sql.lit(nodeKeptMs)}`)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom("nodes").select("nodes.id").whereRef("nodes.id", "=", "live_nodes.node_id"),
        ),
      ),
    )
    .execute();
}

/** A node that lives, and what it has told last. */
export type ListedNode = NodeCalls & {
  /** How old that is, in milliseconds. */
  readonly ageMs: number;
};

/** Lists the nodes that live, this one among them. */
async function listNodes(db: Db): Promise<ListedNode[]> {
  const rows = await db
    .selectFrom("nodes")
    .leftJoin("live_nodes", "live_nodes.node_id", "nodes.id")
    .select(["nodes.id", "name", "total", "is_draining", "calls"])
    .select(sql<number | null>`${databaseMs(db)} - live_nodes.at`.as("ageMs"))
    .where(isAlive(db))
    .orderBy("nodes.id")
    .execute();
  return rows.map(({ id, name, total, is_draining, calls, ageMs }) => ({
    nodeId: id,
    name: name ?? id.slice(0, idShownMax),
    total: total ?? 0,
    isDraining: is_draining === 1,
    calls: calls ?? "[]",
    ageMs: ageMs === null ? Infinity : Math.max(0, Number(ageMs)),
  }));
}

/** How much of its id names a node that has not told its name yet. */
const idShownMax = 8;

function isAlive(db: Db): Expression<boolean> {
  return sql<boolean>`nodes.heartbeat_at >= ${databaseMs(db)} - ${sql.lit(nodeDeadMs)}`;
}

/** An order to stop calls, and who gives it. */
export type Order = {
  /** JSON text. */
  readonly body: string;
  readonly actor: Actor;
  readonly target: string;
  readonly detail: object;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Notes in the audit log that calls are stopped, where no other node has any. */
async function noteStop(tx: Db, { actor, target, detail, nowMs }: Order): Promise<void> {
  await appendAudit(tx, { actor, action: "call.stop", target, detail, nowMs });
}

/** Orders every node to stop calls. @returns the order's id. */
async function addStop(tx: Db, order: Order): Promise<number> {
  const oldest = sql<number>`${databaseMs(tx)} - ${sql.lit(stopKeptMs)}`;
  await tx.deleteFrom("live_stops").where("created_at", "<", oldest).execute();
  await tx
    .deleteFrom("live_stop_answers")
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom("live_stops")
            .select("live_stops.id")
            .whereRef("live_stops.id", "=", "live_stop_answers.stop_id"),
        ),
      ),
    )
    .execute();
  const { id } = await tx
    .insertInto("live_stops")
    .values({ created_at: databaseMs(tx), body: order.body } as never)
    .returning("id")
    .executeTakeFirstOrThrow();
  await noteStop(tx, order);
  return id;
}

type StopAnswer = { readonly stopId: number; readonly calls: number };

/** Says how many calls a node has stopped by each order. */
async function answerStops(tx: Db, nodeId: string, answers: readonly StopAnswer[]): Promise<void> {
  const rows = answers.map(({ stopId, calls }) => ({ stop_id: stopId, node_id: nodeId, calls }));
  await tx
    .insertInto("live_stop_answers")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

type StopAnswers = {
  readonly calls: number;
  /** Names of the nodes that live and have not answered. */
  readonly silent: string[];
};

/** Reads what the nodes that live have answered to an order. */
async function readAnswers(db: Db, stopId: number): Promise<StopAnswers> {
  const rows = await db
    .selectFrom("nodes")
    .leftJoin("live_nodes", "live_nodes.node_id", "nodes.id")
    .leftJoin("live_stop_answers as answers", (join) =>
      join.onRef("answers.node_id", "=", "nodes.id").on("answers.stop_id", "=", stopId),
    )
    .select(["nodes.id", "live_nodes.name", "answers.calls"])
    .where(isAlive(db))
    .execute();
  return {
    calls: rows.reduce((sum, { calls }) => sum + (calls ?? 0), 0),
    silent: rows
      .filter(({ calls }) => calls === null)
      .map(({ id, name }) => name ?? id.slice(0, idShownMax)),
  };
}

export const liveStore = defineStore({
  reads: { listNodes, readAnswers, readOrders },
  writes: { addStop, answerStops, keepWatch, noteStop, putNode },
});

export type LiveStore = RemoteStore<typeof liveStore>;
