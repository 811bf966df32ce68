import type { Generated } from "kysely";

/**
 * Prices that were tried on past calls. The node that began one goes on with it and writes how far
 * it is, so every node can answer. Written by `modules/pricing` only.
 */
export type PricePreviewTable = {
  /** Random, not to be guessed. */
  id: string;
  /** `running`, `done`, `failed`. */
  state: string;
  /** Why it failed; empty: it did not. */
  message: string;
  days: number;
  /** The calls from `starts_at` to before `ends_at`, in Unix seconds. */
  starts_at: number;
  ends_at: number;
  /** The price version that was in force. */
  version: number;
  done: number;
  about: number;
  /** Unix milliseconds. `beat_at`: when its node last wrote how far it is. */
  begun_at: number;
  beat_at: number;
  /** JSON of what it needs to be made again. */
  plan: string;
  /** JSON of its result; empty: it has none yet. */
  result: string;
};

/** See `rerateState` of `contract/src/endpoints/rerates.ts`. */
type RerateState = "charging" | "done" | "stopped" | "stopping" | "telling";

/**
 * Past calls that are charged again by the prices of a saved version. Its place moves in the
 * transactions that change the charges, so each call counts once. Written by `modules/rerates` only.
 */
export type RerateTable = {
  id: Generated<number>;
  state: RerateState;
  /** The re-rate that this one takes back; 0: none. */
  undoes: number;
  /** The price version that calls are charged by. */
  version: number;
  /** The calls from `starts_at` to before `ends_at`, whose log rows have at most the id `last_log`. */
  starts_at: number;
  ends_at: number;
  last_log: number;
  /** Unix seconds: charges that were given back from then on are told apart, as `gone`. */
  as_of: number;
  /** 1: what a user does not have becomes a debt; 0: such a call is skipped. */
  may_owe: number;
  /** The preview that root has seen. */
  preview: string;
  reason: string;
  /** What root tells the users; empty: no charge rises. */
  notice: string;
  /** Unix seconds. */
  created_at: number;
  created_by: number;
  /** 0: it goes on. */
  finished_at: number;
  /** How many calls the preview had, and by how much it said that their charges change. */
  calls: number;
  expected: number;
  /** How many were looked at, and how many charges have changed. */
  done: number;
  changed: number;
  /** What was added to charges, and what was taken from others, in quota units. */
  raised: number;
  lowered: number;
  /** How much of `raised` became debts. */
  owed: number;
  /** Calls whose user did not have enough, and the differences that were not taken. */
  skipped_calls: number;
  skipped: number;
  /** Calls whose charge was given back since the preview, and the differences it said for them. */
  gone_calls: number;
  gone: number;
  /** The log row after which the next step begins. */
  at_time: number;
  at_id: number;
  /** The last user who was told. */
  told: number;
  /** The node that works on it, and until when in Unix milliseconds. */
  claimed_by: string;
  claimed_until: number;
};

/** What a re-rate has changed for a user. Written by `modules/rerates` only. */
export type RerateUserTable = {
  rerate_id: number;
  user_id: number;
  changed: number;
  raised: number;
  lowered: number;
  owed: number;
  skipped_calls: number;
  skipped: number;
};
