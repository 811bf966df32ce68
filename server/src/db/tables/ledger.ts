import type { Generated } from "kysely";

/** Why a balance changed. */
export type EntryKind =
  | "admin_adjust"
  | "aff_transfer"
  /** Pays a debt from the balance. */
  | "debt_paid"
  /** Root has waived a debt. */
  | "debt_waived"
  /** Dividends of an agent that were moved from the purse to the balance. */
  | "dividend"
  /** The balance that a new account begins with. */
  | "gift"
  | "invite"
  /** What a user had at another gateway, from which the account was imported. */
  | "opening"
  /** Takes back what a top-up had credited, because its money was given back. */
  | "payment_refund"
  /** Undoes a `payment_refund` that its processor refused. */
  | "payment_restored"
  | "redeem"
  /** Gives back the charge of a task that has failed. */
  | "refund"
  /** Charges a call again, by other prices: the difference to what it was charged before. */
  | "rerate"
  /** Gives back a settlement, because its answer was withheld from the client. */
  | "reversal"
  | "settle"
  | "task_charge"
  | "topup"
  /** Moved from the balance of a user or an organisation to this one. */
  | "transfer_in"
  /** Moved from this balance to the one of an organisation or a user. */
  | "transfer_out";

/**
 * Every change of a balance, never updated or deleted, chained by hash per user. All tables of
 * this file are written by `modules/ledger` only. Amounts are whole quota units up to 2^53 − 1.
 */
export type EntryTable = {
  /**
   * The event that caused the entry, e.g. `settle:<request id>`. Unique, so that an event never
   * counts twice.
   */
  cause: string;
  kind: EntryKind;
  user_id: number;
  /** Position in the user's chain, from 1 without gaps. */
  seq: number;
  /** 0: the entry is not about a token. */
  token_id: number;
  /** 0: the entry is not about a channel. */
  channel_id: number;
  /** Positive adds to the balance, negative takes from it; 0 for a call that cost nothing. */
  amount: number;
  /** The user's balance after this entry. */
  balance_after: number;
  /** Sum of what the user was charged so far, this entry included. */
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
  /**
   * When the call of a settlement or reversal was reserved, in Unix seconds, if it counts in the
   * token's budgets; otherwise 0.
   */
  budget_at: number;
  /** What the entry adds to the user's debt; negative: it pays or waives as much. */
  debt: number;
  /** Hex SHA-256 over the previous entry's hash and every field above. */
  hash: string;
};

/** The sum of a user's entries, and the newest entry of the user's hash chain. */
export type BalanceTable = {
  user_id: number;
  balance: number;
  /**
   * Part of `balance` that is granted to nodes for open reservations. 0 on SQLite, where the one
   * process that owns the database may spend all of it.
   */
  held: number;
  /**
   * Sum of `debt` of the user's entries: quota that was spent before its money went back. While it
   * is above 0, no call is admitted.
   */
  debt: number;
  /** Sum charged so far: `used_after` of the newest entry. */
  used: number;
  /** Number of entries: `seq` of the newest entry. */
  entry_count: number;
  head_hash: string;
};

/**
 * What a token may still spend. `remain + used = granted`. A call of an unlimited token leaves
 * `remain` as it is and raises `used` and `granted`.
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
  /** The tags of the call, one a line, for its log row if its node dies; empty: it has none. */
  tags: string;
  amount: number;
  /** Part of the amount that is also held of the token; 0 for an unlimited token. */
  token_amount: number;
  /** Unix milliseconds. */
  created_at: number;
  /** When the call was reserved, in Unix seconds, if it counts in budgets; otherwise 0. */
  budget_at: number;
  /** `starts_at` of the budgets that hold the amount as well; 0: the token has no such budget. */
  budget_day: number;
  budget_week: number;
  budget_month: number;
};

/**
 * What a token has spent in a day, a week or a month, by the settlements whose `budget_at` lies in
 * it. A window gets its row with its first call.
 */
export type TokenBudgetTable = {
  token_id: number;
  kind: "day" | "month" | "week";
  /** Unix seconds. */
  starts_at: number;
  ends_at: number;
  spent: number;
  /** Held by open reservations, as in `BalanceTable`. */
  held: number;
};

/**
 * Calls that were interrupted because their node's epoch ended. They are not charged even if the
 * node tries to settle them later, because their log rows have already told the users that they
 * failed.
 */
export type InterruptedCallTable = {
  request_id: string;
  /** The log row of the interrupted call. */
  log_id: number;
};

/**
 * Totals of use, such as the number of calls. They are sums of log rows; queries join them to the
 * rows of channels, tokens and users.
 */
export type CounterTable = {
  kind: "channel" | "token" | "user";
  id: number;
  used_quota: number;
  request_count: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** As in `UsageHourTable`; for root alone. */
  cost: Generated<number>;
  costed_quota: Generated<number>;
  costed_count: Generated<number>;
};

/** The part of `counters` that was used at another gateway, from which the row was imported. */
export type OpeningCounterTable = Pick<
  CounterTable,
  "id" | "kind" | "request_count" | "used_quota"
>;

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
  /** The sum of the costs that are known, in quota units, as `cost` of the log rows. */
  cost: Generated<number>;
  /** What the calls were charged whose cost is known, and their number. */
  costed_quota: Generated<number>;
  costed_count: Generated<number>;
};

/**
 * What calls of an hour had from the caches of providers; a row only where there is something. Its
 * input tokens are those of `UsageHourTable`.
 */
export type PromptCacheHourTable = Pick<
  UsageHourTable,
  "channel_id" | "group" | "hour" | "model_name" | "token_id" | "user_id"
> & {
  cached_tokens: number;
  /** What they were charged more because their conversations had moved, as in log rows. */
  moved_quota: number;
};

/**
 * The hourly roll-up without users and tokens, by hour and by day. A job of `modules/logs` makes it
 * from `usage_hours` when an hour is over, so sums over a long time need not read all of these rows.
 */
export type UsageTotalTable = Omit<UsageHourTable, "hour" | "token_id" | "user_id"> & {
  /** Length of the time in seconds: an hour or a UTC day. */
  span: number;
  /** Unix seconds. */
  start: number;
};

/**
 * Sums of users and their tokens by UTC day and by eight days; `token_id` 0: no token. Made like
 * `UsageTotalTable`.
 */
export type CallerTotalTable = Omit<
  UsageHourTable,
  "channel_id" | "group" | "hour" | "model_name"
> & {
  /** Length of the time in seconds: a UTC day or eight of them. */
  span: number;
  /** Unix seconds. */
  start: number;
};

/** Sums of models by hour. Made like `UsageTotalTable`. */
export type ModelTotalTable = Omit<UsageHourTable, "channel_id" | "token_id" | "user_id">;

/** Hours of `usage_hours` that have changed after they were over, so that totals may lack it. */
export type StaleHourTable = {
  /** Unix seconds, start of the hour. */
  hour: number;
};

/**
 * Accounts of what users earn, apart from their balances. `invitations`: rewards for invitations, and
 * rebates on what invitees paid; `purse`: dividends of agents.
 */
export type EarningAccount = "invitations" | "purse";

/** What a user has earned. Written by `modules/ledger` only. */
export type EarningTable = {
  user_id: number;
  account: EarningAccount;
  /** Quota units that can be moved to the balance or requested for a payout. */
  balance: number;
  /** Quota units of the withdrawal that waits for root. */
  requested: number;
  /** Sum of everything that was earned, less what was taken back. */
  earned: number;
  /** Number of entries: `seq` of the newest entry. */
  entry_count: number;
  head_hash: string;
};

/** Why an account of earnings changed. */
export type EarningKind =
  | "dividend"
  | "invite"
  | "rebate"
  /** Takes a rebate back, because its top-up was refunded. */
  | "rebate_back"
  /** Gives back what a `rebate_back` took, because the processor refused the refund. */
  | "rebate_restored"
  /** Moved to the balance. */
  | "transfer"
  /** Moves quota from what can be used to what is requested for a payout. */
  | "withdrawal"
  /** The payout was made: the requested quota is gone. */
  | "withdrawal_paid"
  /** The payout was rejected: the requested quota can be used again. */
  | "withdrawal_rejected";

/** Every change of an account of earnings, chained by hash per account. */
export type EarningEntryTable = {
  user_id: number;
  account: EarningAccount;
  /** Position in the account's chain, from 1 without gaps. */
  seq: number;
  /** The event that caused the entry; unique. */
  cause: string;
  kind: EarningKind;
  /** Changes of the two amounts of the account, and both amounts after it. */
  amount: number;
  requested: number;
  balance_after: number;
  requested_after: number;
  /**
   * For a dividend the hash of its row, for a withdrawal the hash of what is proven of it, for a
   * rebate its rate in hundredths of a per cent.
   */
  detail: string;
  /** Unix seconds. */
  created_at: number;
  /** Hex SHA-256 over the previous entry's hash and every field above. */
  hash: string;
};

/**
 * What calls that have ended were charged, as one record for each batch, until it is in the books:
 * the last byte of an answer waits for its record, and the books follow in groups of records.
 */
export type JournalTable = {
  node_id: string;
  /** The node's epoch when the record was written. */
  epoch: number;
  /** Position among the records of the node, from 1 without gaps. */
  seq: number;
  /** The version of `body`; see `modules/ledger/journal/records.ts`. */
  format: number;
  /** Number of operations in `body`. */
  calls: number;
  /** The operations, as `batch-text.ts` writes them. */
  body: string;
  /** Hex SHA-256 over the sum of the node's record before and the columns above. */
  sum: string;
};

/** Up to which record of a node the books are complete. Changed with them, in one transaction. */
export type JournalHeadTable = {
  node_id: string;
  /** `seq` of the last record that is in the books; 0: none is. */
  applied: number;
  /** Its `sum`; empty: there was none. */
  sum: string;
};

/**
 * What could not be written into the books as its record says. `cut`: less was charged than the
 * record says; `missing`: a record that never came; `behind`: a record where the books were complete
 * already; `changed`, `unreadable`: a whole record; `failed`: one operation.
 */
export type JournalRefusedKind = "behind" | "changed" | "cut" | "failed" | "missing" | "unreadable";

/** Rows are never removed; while there is one, `tollgate audit` fails. */
export type JournalRefusedTable = {
  id: Generated<number>;
  node_id: string;
  seq: number;
  /** Position of the operation in its record, from 0. */
  place: number;
  /** Unix milliseconds. */
  created_at: number;
  /** Empty: it is about a whole record. */
  request_id: string;
  kind: JournalRefusedKind;
  reason: string;
  /** What the record or the operation says. */
  body: string;
};
