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
  /**
   * Only what carries this number may write in the node's name. Another node that thinks this one
   * dead raises it, and so ends everything that is on its way.
   */
  epoch: number;
  /**
   * Unix milliseconds by the clock of the database, as below: since when it has renewed its
   * heartbeat without a gap.
   */
  started_at: number;
  /** A node that stops renewing it loses its epoch and its reservations. */
  heartbeat_at: number;
  /** Changes of configuration up to this one are known to the node. */
  config_version: number;
};

/** Links by which root can be made, as hashes. Written by `modules/installation` only. */
export type SetupLinkTable = {
  hash: string;
  /** Unix milliseconds by the clock of the database. */
  made_at: number;
};
