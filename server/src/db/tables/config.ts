import type { ConfigPart } from "#db/changes.ts";

/** One row, id 1: the version of the newest configuration change. Written by `db/changes.ts`. */
export type ConfigClockTable = { id: number; version: number };

/** What changed at which version. Written by `db/changes.ts` only. */
export type ConfigChangeTable = { version: number; part: ConfigPart; entity_id: number };

/** Facts about this installation. Each key is written by the one module that names it. */
export type MetaTable = { key: string; value: string };

/** Processes that share this database. Written by `modules/ledger` only, which owns their holds. */
export type NodeTable = {
  id: string;
  /** Unix milliseconds since when it has renewed its heartbeat without a gap. */
  started_at: number;
  /** Unix milliseconds; a node that stops renewing it loses its reservations. */
  heartbeat_at: number;
};
