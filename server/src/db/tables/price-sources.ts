import type { Generated } from "kysely";

/**
 * Lists of prices that others publish. The tables of this file are written by `modules/pricing`
 * only. Times are Unix seconds.
 */
export type PriceSourceTable = {
  id: Generated<number>;
  name: string;
  /** See `sourceKind` of `contract/src/endpoints/price-sources.ts`. */
  kind: string;
  /** Empty: of a catalogue, the one in use; of others, lists are only sent by hand. */
  url: string;
  /** JSON text of `sourceRules`. */
  rules: string;
  /** 0: only by hand. */
  every_hours: number;
  /** When a node syncs it next; 0: none does. */
  next_at: number;
  synced_at: number;
  /** Why the last sync failed; empty: it did not. */
  error: string;
  created_at: number;
};

/** What syncs would change, line by line, and what became of each line. */
export type PriceDraftTable = {
  id: Generated<number>;
  source_id: number;
  source_name: string;
  kind: string;
  created_at: number;
  /** 0: the schedule. */
  created_by: number;
  /** `open`, `done` or `replaced`. */
  state: string;
  /** The numbers of lines by their state, and of refused lines of the list. */
  waiting: number;
  accepted: number;
  refused: number;
  faults: number;
  /** JSON text of the lines, see `modules/pricing/sources/drafts.repo.ts`. */
  content: string;
};

/** Bills of upstreams that were sent to be compared. Written by `modules/bills` only. */
export type BillTable = {
  id: Generated<number>;
  created_by: number;
  /** Unix seconds. */
  created_at: number;
};

/** The text of a bill, part by part. */
export type BillPartTable = {
  bill_id: number;
  place: number;
  text: string;
};
