import type { Generated } from "kysely";

/** Imports from other gateways. The tables of this file are written by `modules/import` only. */
export type ImportTable = {
  id: Generated<number>;
  /** The name by which a later run finds it; unique. */
  name: string;
  /** The program of the source, such as `new-api`. */
  kind: string;
  /** Where the source is, without user name and password. */
  source: string;
  /** Unix seconds. */
  created_at: number;
  /** When a run last came to its end, in Unix seconds; 0: none has. */
  finished_at: number;
  /** 1: its users cannot call here until its last pass, or until they are opened. */
  follows: Generated<number>;
  /** When its last pass ended, after which nothing is read any more; 0: it has had none. */
  ended_at: Generated<number>;
  /** JSON of the rows and sums of the last run; empty: none was written. */
  progress: Generated<string>;
  /** When it was undone, in Unix seconds; 0: it was not. */
  undone_at: number;
};

/** Which row of a source became which row here. */
export type ImportedRowTable = {
  import_id: number;
  /** `channel`, `code`, `invitation`, `opened` (a user), `prices`, `token` or `user`. */
  kind: string;
  source_id: string;
  /** 0: the row is left out. */
  target_id: number;
  /** JSON of what the source said when it was read last. */
  seen: string;
};
