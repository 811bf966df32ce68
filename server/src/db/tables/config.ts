import type { Generated } from "kysely";

/** Parts of the relay's snapshot, each of which can be reloaded on its own. */
export type ConfigPart = "channels" | "options" | "prices" | "tokens" | "users";

/** One row, id 1: the version of the newest configuration change. Written by `db/changes.ts`. */
export type ConfigClockTable = { id: number; version: number };

/** Changes of configuration, each with its version. Written by `db/changes.ts` only. */
export type ConfigChangeTable = {
  version: number;
  part: ConfigPart;
  entity_id: number;
  /**
   * Random: tells this change from another one of the same version, which a database that went back
   * gives again. Empty for changes of earlier versions of the program.
   */
  mark: string;
};

/** Facts about this installation. Each key is written by the one module that names it. */
export type MetaTable = { key: string; value: string };

/** Processes that share this database. Written by `modules/ledger` only, which owns their holds. */
export type NodeTable = {
  id: string;
  /**
   * Raised by another node that takes this one for dead. Transactions in the node's name fail
   * unless they carry the current number, so whatever was in flight ends without effect.
   */
  epoch: number;
  /**
   * Since when the node has sent heartbeats without a gap. Unix milliseconds by the database's
   * clock, as is `heartbeat_at`.
   */
  started_at: number;
  /**
   * Time of the newest heartbeat. A node that stops sending them loses its epoch and its
   * reservations.
   */
  heartbeat_at: number;
  /** The version up to which the node has applied changes of configuration. */
  config_version: number;
  /** 1: the node is shutting down, so it has no share of the limits that nodes divide. */
  draining: number;
};

/** What nodes tell one another; removed after a minute. Written by `db/hints.ts` only. */
export type NodeHintTable = {
  id: Generated<number>;
  node_id: string;
  /** Unix milliseconds by the clock of the database. */
  at: number;
  /** JSON text. */
  hints: string;
};

/**
 * Setup links, with which root can be created, as hashes. Written by `modules/installation` only.
 */
export type SetupLinkTable = {
  hash: string;
  /** Unix milliseconds by the clock of the database. */
  made_at: number;
};
