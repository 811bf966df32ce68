/**
 * The rounds of all nodes, one row of the table `meta` for each kind. Only one node at a time runs
 * a round of a kind; every node can read its progress and ask it to stop.
 */

import type { ChannelRound } from "@tollgate/contract/channel-probes.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { idleRound } from "./channel-rounds.ts";

/** What a round does with each channel. */
export type RoundKind = "balances" | "tests";

/** A running round that was noted longer ago than this has lost its node. Milliseconds. */
const orphanedMs = 10_000;

type KeptRound = ChannelRound & {
  /** When its node has last noted it. Unix milliseconds. */
  readonly notedMs: number;
};

const idle: KeptRound = { ...idleRound, notedMs: 0 };

const keyOf = (kind: RoundKind): string => `channel_round_${kind}`;

/** Safe cast: `saveRound` wrote the text. */
const parse = (text: string): KeptRound => JSON.parse(text) as KeptRound;

type Asked = {
  readonly kind: RoundKind;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Reads the running round, or else the last one. One whose node has died has stopped. */
export async function findRound(db: Db, { kind, nowMs }: Asked): Promise<ChannelRound> {
  const row = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", keyOf(kind))
    .executeTakeFirst();
  const { notedMs, ...round } = row === undefined ? idle : parse(row.value);
  if (!round.running || nowMs - notedMs <= orphanedMs) return round;
  return { ...round, running: false, stopped: true, current: [] };
}

/** Reads the round and locks it until the transaction ends. */
async function lockRound(tx: Db, kind: RoundKind): Promise<KeptRound> {
  // The row is there before it is locked, so that two nodes cannot both begin the first round.
  await tx
    .insertInto("meta")
    .values({ key: keyOf(kind), value: JSON.stringify(idle) })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const query = tx.selectFrom("meta").select("value").where("key", "=", keyOf(kind));
  const { value } = await lockRows(tx, query).executeTakeFirstOrThrow();
  return parse(value);
}

async function saveRound(tx: Db, kind: RoundKind, round: KeptRound): Promise<void> {
  const value = JSON.stringify(round);
  await tx.updateTable("meta").set({ value }).where("key", "=", keyOf(kind)).execute();
}

/** Begins a round for a node. @returns its number; null: one is running on some node. */
export async function claimRound(tx: Db, { kind, nowMs }: Asked): Promise<number | null> {
  const last = await lockRound(tx, kind);
  if (last.running && nowMs - last.notedMs <= orphanedMs) return null;
  const run = last.run + 1;
  await saveRound(tx, kind, { ...idle, run, running: true, notedMs: nowMs });
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
  { kind, nowMs, round }: Asked & { readonly round: ChannelRound },
): Promise<boolean> {
  const last = await lockRound(tx, kind);
  if (last.run !== round.run) return false;
  const stopped = last.stopped || round.stopped;
  await saveRound(tx, kind, { ...round, stopped, notedMs: nowMs });
  return !stopped;
}

/** Asks the node of the running round to stop it. @returns false when none is running. */
export async function stopRound(tx: Db, { kind, nowMs }: Asked): Promise<boolean> {
  const last = await lockRound(tx, kind);
  if (!last.running || nowMs - last.notedMs > orphanedMs) return false;
  await saveRound(tx, kind, { ...last, stopped: true });
  return true;
}
