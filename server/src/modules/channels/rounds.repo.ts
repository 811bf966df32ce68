/**
 * The rounds of all nodes, one row of the table `meta` for each kind. Only one node at a time runs
 * a round of a kind; every node can read its progress and ask it to stop. Times are those of the
 * database's clock, because the clocks of nodes differ.
 */

import { sql } from "kysely";
import type { ChannelRound } from "@tollgate/contract/endpoints/channel-probes.ts";
import type { Db } from "#db/database.ts";
import { databaseMs, lockRows } from "#db/dialect.ts";
import { idleRound } from "./channel-rounds.ts";

/** What a round does with each channel. */
export type RoundKind = "balances" | "tests";

/** A running round that was noted longer ago than this has lost its node. Milliseconds. */
const orphanedMs = 10_000;

type KeptRound = ChannelRound & {
  /** When its node has last noted it. Unix milliseconds. */
  readonly notedMs: number;
};

/** A round as it was read. */
type ReadRound = {
  readonly round: KeptRound;
  /** When it was read. Unix milliseconds. */
  readonly nowMs: number;
};

const idle: KeptRound = { ...idleRound, notedMs: 0 };

const keyOf = (kind: RoundKind): string => `channel_round_${kind}`;

/** Safe cast: `saveRound` wrote the text, maybe that of an earlier version, which had fewer fields. */
const parse = (text: string): KeptRound => ({ ...idle, ...(JSON.parse(text) as KeptRound) });

const isOrphaned = ({ round, nowMs }: ReadRound): boolean =>
  round.running && nowMs - round.notedMs > orphanedMs;

/** Selects the round and the time. */
const selectRound = (db: Db, kind: RoundKind) =>
  db
    .selectFrom("meta")
    .select(["value", databaseMs(db).as("nowMs")])
    .where("key", "=", keyOf(kind));

/** Reads the running round, or else the last one. One whose node has died has stopped. */
export async function findRound(db: Db, kind: RoundKind): Promise<ChannelRound> {
  const row = await selectRound(db, kind).executeTakeFirst();
  if (row === undefined) return idleRound;
  const kept = parse(row.value);
  const { notedMs: _, ...round } = kept;
  if (!isOrphaned({ round: kept, nowMs: row.nowMs })) return round;
  return { ...round, running: false, stopped: true, current: [] };
}

/** Reads the round and locks it until the transaction ends. */
async function lockRound(tx: Db, kind: RoundKind): Promise<ReadRound> {
  // The row is there before it is locked, so that two nodes cannot both begin the first round.
  await tx
    .insertInto("meta")
    .values({ key: keyOf(kind), value: JSON.stringify(idle) })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const row = await lockRows(tx, selectRound(tx, kind)).executeTakeFirstOrThrow();
  return { round: parse(row.value), nowMs: row.nowMs };
}

async function saveRound(tx: Db, kind: RoundKind, round: KeptRound): Promise<void> {
  const value = JSON.stringify(round);
  await tx.updateTable("meta").set({ value }).where("key", "=", keyOf(kind)).execute();
}

/** Begins a round for a node. @returns its number; null: one is running on some node. */
export async function claimRound(tx: Db, kind: RoundKind): Promise<number | null> {
  const last = await lockRound(tx, kind);
  if (last.round.running && !isOrphaned(last)) return null;
  const run = last.round.run + 1;
  await saveRound(tx, kind, { ...idle, run, running: true, notedMs: last.nowMs });
  return run;
}

/**
 * Notes the progress of a round, for its node.
 *
 * @returns whether the round should go on: nobody has stopped it, and no other node has begun the
 *   next one because this one seemed to be dead.
 */
export async function noteRound(
  tx: Db,
  { kind, round }: { readonly kind: RoundKind; readonly round: ChannelRound },
): Promise<boolean> {
  const last = await lockRound(tx, kind);
  if (last.round.run !== round.run) return false;
  const stopped = last.round.stopped || round.stopped;
  await saveRound(tx, kind, { ...round, stopped, notedMs: last.nowMs });
  return !stopped;
}

/** Asks the node of the running round to stop it. @returns false when none is running. */
export async function stopRound(tx: Db, kind: RoundKind): Promise<boolean> {
  const last = await lockRound(tx, kind);
  if (!last.round.running || isOrphaned(last)) return false;
  await saveRound(tx, kind, { ...last.round, stopped: true });
  return true;
}

/**
 * How much sooner than the chosen time a round may begin, in milliseconds: timers of nodes do not
 * agree with the database's clock to the millisecond.
 */
const earlyMs = 1_000;

/**
 * Claims the round of a kind that is due by the options, for the first node that asks.
 *
 * @param everyMs the time between the beginnings of two such rounds.
 * @returns false when some node has begun one less than this ago.
 */
export async function claimDue(tx: Db, kind: RoundKind, everyMs: number): Promise<boolean> {
  const now = databaseMs(tx);
  const begun = await tx
    .insertInto("round_times")
    .values({ name: kind, begun_at: now })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({ begun_at: now })
        .where("round_times.begun_at", "<=", sql<number>`${now} - ${sql.lit(everyMs - earlyMs)}`),
    )
    .returning("name")
    .executeTakeFirst();
  return begun !== undefined;
}
