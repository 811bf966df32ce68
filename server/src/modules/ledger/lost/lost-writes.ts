/** Finds out which confirmed writes a database that went back has lost. */

import type { Db } from "#db/database.ts";
import type { Written } from "#db/written.ts";
import type { ConfirmedWrite } from "./write-ring.ts";

/** A row's place among others: one that is cleaned away is not lost. */
type Change = { readonly version: number; readonly mark: string };

/** @returns the writes of which rows are missing. */
export async function findLostWrites(
  db: Db,
  writes: readonly ConfirmedWrite[],
): Promise<ConfirmedWrite[]> {
  const isLost = await openJudge(db, writes);
  return writes.filter(({ written }) => written.some(isLost));
}

async function openJudge(
  db: Db,
  writes: readonly ConfirmedWrite[],
): Promise<(row: Written) => boolean> {
  const hashes: string[] = [];
  const causes: string[] = [];
  const changes: Change[] = [];
  for (const row of writes.flatMap(({ written }) => written)) {
    if (row.kind === "audit") hashes.push(row.hash);
    else if (row.kind === "entry") causes.push(row.what);
    else changes.push(row);
  }
  const foundHashes = await findHashes(db, hashes, writes[0]?.atMs ?? 0);
  const foundCauses = await findCauses(db, causes);
  const isChangeLost = await openChangeJudge(db, changes);
  return (row) => {
    if (row.kind === "audit") return !foundHashes.has(row.hash);
    if (row.kind === "entry") return !foundCauses.has(row.what);
    return isChangeLost(row);
  };
}

/**
 * How much older than its confirmation an audit row may say to be, in seconds: the clocks of nodes
 * differ, and a write may wait.
 */
const slackSeconds = 3_600;

async function findHashes(
  db: Db,
  hashes: readonly string[],
  oldestMs: number,
): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await db
    .selectFrom("audit_log")
    .select("hash")
    .where("created_at", ">=", Math.floor(oldestMs / 1_000) - slackSeconds)
    .where("hash", "in", hashes)
    .execute();
  return new Set(rows.map(({ hash }) => hash));
}

async function findCauses(db: Db, causes: readonly string[]): Promise<ReadonlySet<string>> {
  if (causes.length === 0) return new Set();
  const rows = await db
    .selectFrom("entries")
    .select("cause")
    .where("cause", "in", causes)
    .execute();
  return new Set(rows.map(({ cause }) => cause));
}

async function openChangeJudge(
  db: Db,
  changes: readonly Change[],
): Promise<(change: Change) => boolean> {
  if (changes.length === 0) return () => false;
  const { newest } = await db
    .selectFrom("config_clock")
    .select("version as newest")
    .where("id", "=", 1)
    .executeTakeFirstOrThrow();
  const versions = changes.map(({ version }) => version);
  const rows = await db
    .selectFrom("config_changes")
    .select(["version", "mark"])
    .where("version", "in", versions)
    .execute();
  const marks = new Map(rows.map(({ version, mark }) => [version, mark]));
  return ({ version, mark }) => {
    const found = marks.get(version);
    // A change that is missing below the newest one was applied by every node, and removed.
    return found === undefined ? version > newest : found !== mark;
  };
}
