import type { Generated } from "kysely";

/**
 * The log that users see. The ledger inserts rows of type 2 together with their settlement, through
 * `modules/logs`, which is the only writer.
 */
export type LogTable = {
  id: Generated<number>;
  /** Request id of the call; unique among type 2. `""`: the row is not of a call. */
  request_id: string;
  /** Unix seconds. */
  created_at: number;
  /** 1 top-up, 2 consumption, 3 management, 4 system, 5 a call that failed or was interrupted. */
  type: number;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  channel: number;
  /** The model name that the client used. */
  model_name: string;
  /** The group that was charged. */
  group: string;
  /** Quota units charged. */
  quota: number;
  /** Quota units used beyond hold and balance. Nobody was charged for them. */
  write_off: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Whole seconds from the first byte of the request to the last byte of the answer. */
  use_time: number;
  /** 1: the answer was streamed; 0: it was not. */
  is_stream: number;
  content: string;
  /** JSON text for consoles, see `contract/logs.ts`; `""` for rows that are not calls. */
  other: string;
  client_ip: string;
  /**
   * JSON text of the token counts that the charge was computed from, none of which overlap; `""`:
   * none.
   */
  usage: string;
  /** Where the token counts come from, see `contract/logs.ts`; `""`: no usage. */
  usage_source: string;
  /** Price version the charge was computed with; 0: none. */
  price_version: number;
  /** JSON array text of what a conversion could not carry; `""`: nothing. */
  losses: string;
  /**
   * Tokens of the output that came, in the unit of the count; 0: none came, or it is not known. The
   * row's hash covers it unless it is 0, so that rows of before it was stored keep theirs.
   */
  seen_output: Generated<number>;
  /**
   * What the channel that answered charges for the call, in quota units; null: it is not known. Only
   * root sees this and the next three columns.
   */
  cost: number | null;
  /** The version of the channel's cost list that `cost` was computed with; 0: it had none. */
  cost_version: Generated<number>;
  /** What the upstream has said that the call costs, in US dollars, as a decimal; `""`: nothing. */
  cost_reported: Generated<string>;
  /**
   * Random hex digits that the hash of what root alone sees begins with, so that nobody finds it by
   * trying; `""`: the row is from before hashes covered that apart.
   */
  salt: Generated<string>;
  /**
   * 1: the call was charged, and the charge was given back because the answer was withheld. Not
   * covered by the row's hash.
   */
  reversed: Generated<number>;
  /** Quota units of the charge that were refunded. Not covered by the row's hash. */
  refunded: Generated<number>;
};
