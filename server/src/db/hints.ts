/**
 * What nodes tell one another by the database: hints of a moment, which may be lost. They are sent
 * with NOTIFY, and kept for a short while for nodes that cannot hear (behind a pooler) and poll.
 */

import { sql } from "kysely";
import type { Db } from "./database.ts";
import { databaseMs, dialectOf } from "./dialect.ts";
import { defineStore } from "./store.ts";

/** The name by which PostgreSQL passes hints on. */
export const hintChannel = "tollgate_hints";

/** The longest text that PostgreSQL passes on has 8,000 bytes; a longer one is found by the poll. */
const notifiedMaxBytes = 7_900;

/** How long a hint is found by the poll, and kept, in milliseconds. */
const heardMs = 5_000;
const keptMs = 60_000;

/** The most hints that one poll finds. */
const listedMax = 200;

/** A text of hints, and the node that tells it. */
type NodeHint = { readonly id: number; readonly nodeId: string; readonly hints: string };

/** Tells the other nodes. */
async function tellHints(tx: Db, nodeId: string, hints: string): Promise<void> {
  const now = databaseMs(tx);
  const { id } = await tx
    .insertInto("node_hints")
    .values({ node_id: nodeId, at: now, hints })
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx
    .deleteFrom("node_hints")
    .where("at", "<", sql<number>`${now} - ${sql.lit(keptMs)}`)
    .execute();
  const text = JSON.stringify({ id, nodeId, hints } satisfies NodeHint);
  if (dialectOf(tx) !== "postgres" || Buffer.byteLength(text) > notifiedMaxBytes) return;
  await sql`select pg_notify(${hintChannel}, ${text})`.execute(tx);
}

/** Returns what other nodes have told in the last seconds, oldest first. */
async function listHints(db: Db, nodeId: string): Promise<NodeHint[]> {
  return await db
    .selectFrom("node_hints")
    .select(["id", "node_id as nodeId", "hints"])
    .where("at", ">=", sql<number>`${databaseMs(db)} - ${sql.lit(heardMs)}`)
    .where("node_id", "<>", nodeId)
    .orderBy("id")
    .limit(listedMax)
    .execute();
}

export const hintStore = defineStore({
  reads: { listHints },
  writes: {},
  pulses: { tellHints },
});
