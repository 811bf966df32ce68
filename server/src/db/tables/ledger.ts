/** Why a balance changed. */
export type EntryKind =
  | "admin_adjust"
  | "aff_transfer"
  | "invite"
  | "redeem"
  | "refund"
  /** Reverses a settlement whose answer was withheld from the client. */
  | "reversal"
  | "settle"
  | "task_charge"
  | "topup";

/**
 * Every change of a balance, never updated or deleted, chained by hash per user. All tables of
 * this file are written by `modules/ledger` only. Amounts are whole quota units up to 2^53 − 1.
 */
export type EntryTable = {
  /** What caused it, e.g. `settle:<request id>`. Unique: the same cause counts once. */
  cause: string;
  kind: EntryKind;
  user_id: number;
  /** Position in the user's chain, from 1 without gaps. */
  seq: number;
  /** 0: no token took part. */
  token_id: number;
  /** 0: no channel took part. */
  channel_id: number;
  /** Positive adds to the balance, negative takes from it; 0 for a call that cost nothing. */
  amount: number;
  /** The user's balance after this entry. */
  balance_after: number;
  /** Sum of what the user was charged so far, with this entry. */
  used_after: number;
  /** For a settlement and its reversal the id of the call's log row, otherwise 0. */
  log_id: number;
  /**
   * For a settlement the hash of its log row's fields, otherwise free text such as an admin's
   * reason.
   */
  detail: string;
  /** Unix seconds. */
  created_at: number;
  /** Hex SHA-256 over the previous entry's hash and every field above. */
  hash: string;
};

/** Sum of a user's entries and the head of its chain. */
export type BalanceTable = {
  user_id: number;
  balance: number;
  /** Part of `balance` granted to nodes for open reservations. 0 on SQLite: its owner has it all. */
  held: number;
  /** Sum charged so far: `used_after` of the head. */
  used: number;
  /** Number of entries: `seq` of the head. */
  entry_count: number;
  head_hash: string;
};

/**
 * What a token may still spend. `remain + used = granted`. A call of an unlimited token leaves
 * `remain` as it is and raises the other two.
 */
export type TokenBalanceTable = {
  token_id: number;
  granted: number;
  remain: number;
  used: number;
  /** Part of `remain` granted to nodes, as in `BalanceTable`. */
  held: number;
};

/** Quota held for running calls. */
export type ReservationTable = {
  /** The request id. */
  id: string;
  node_id: string;
  /** The node's epoch when the reservation was taken; a node in another epoch cannot end it. */
  epoch: number;
  user_id: number;
  /** 0: no token, e.g. the playground. */
  token_id: number;
  model_name: string;
  group: string;
  amount: number;
  /** Part that is also held of the token; 0 for an unlimited token. */
  token_amount: number;
  /** Unix milliseconds. */
  created_at: number;
};

/**
 * Calls that ended with their node's epoch. They are not charged, because their users were told so,
 * even if their node settles them later.
 */
export type InterruptedCallTable = {
  request_id: string;
  /** The log row of the interrupted call. */
  log_id: number;
};

/** Totals of use. They are sums of log rows, joined when read. */
export type CounterTable = {
  kind: "channel" | "token" | "user";
  id: number;
  used_quota: number;
  request_count: number;
  prompt_tokens: number;
  completion_tokens: number;
};

/** The only roll-up: sums of log rows per hour and all columns they are grouped by. */
export type UsageHourTable = {
  /** Unix seconds, start of the hour. */
  hour: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  model_name: string;
  group: string;
  quota: number;
  request_count: number;
  prompt_tokens: number;
  completion_tokens: number;
};
