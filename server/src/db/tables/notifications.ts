import type { Generated } from "kysely";

/**
 * How users want to be notified, and of which events. A user who saved nothing has no row. All
 * tables of this file are written by `modules/notifications` only.
 */
export type NotificationSettingTable = {
  user_id: number;
  notify_type: string;
  /** Quota units. */
  quota_warning_threshold: number;
  /** Settings of all notification ways, a sealed JSON text: `modules/notifications/settings.ts`. */
  settings: string;
  /** 1: the user is notified of a low balance; 0: not. */
  quota_low: number;
  /** 1: the user is notified of changed prices; 0: not. */
  price_change: number;
  /** 1: the user is notified of a changed announcement; 0: not. */
  announcement: number;
  /** 1: the user is notified of promotions; 0: not. */
  promotion: number;
  /** 1: the user is told of balance and spending now and then; 0: not. */
  periodic_contact: number;
};

/** Users who were notified of a low balance. */
export type QuotaWarningTable = {
  user_id: number;
  /** Unix milliseconds. */
  warned_at: number;
  /** 1: the balance has stayed below the threshold since the warning; 0: it was above it. */
  is_low: number;
  /** 0: a node is sending the warning, or has died while it did; 1: it was sent. */
  is_sent: number;
};

/**
 * Notifications to everybody who subscribed to an event. They are sent in the order of the users'
 * ids.
 */
export type BroadcastTable = {
  id: Generated<number>;
  /** The event, as named in `contract/src/endpoints/notifications.ts`. */
  event: string;
  /** The announcement as plain text; empty for other events. */
  content: string;
  /** The earliest time at which the broadcast begins, in Unix milliseconds. */
  begins_at: number;
  /** Id of the last user who was processed; 0: nobody yet. */
  cursor: number;
  /**
   * When a node last took users to notify, in Unix milliseconds; 0: the broadcast has not begun.
   */
  claimed_at: number;
  /** 1: all users were processed; 0: not yet. */
  is_over: number;
};

/**
 * The users of a broadcast whom a node is notifying: the row goes when the notice was sent. Rows
 * that stay are those of a node that has died.
 */
export type BroadcastReceiverTable = {
  broadcast_id: number;
  user_id: number;
  /** When a node took the user, in Unix milliseconds. */
  claimed_at: number;
};

/** Windows of budgets whose token's owner was warned that most of the budget is spent. */
export type BudgetWarningTable = {
  token_id: number;
  kind: "day" | "month" | "week";
  /** Start of the window, in Unix seconds. */
  starts_at: number;
  /** When a node took the warning to send it. Unix milliseconds. */
  claimed_at: number;
  /** 1: the warning was sent, or cannot be; 0: a node sends it, or died before it did. */
  is_sent: number;
};

/** When users were last told of something that they are told of at most once in two hours. */
export type NoticeTimeTable = {
  user_id: number;
  /** The type of the notice. */
  type: string;
  /** Unix milliseconds. */
  sent_at: number;
};

/** Notices about money that moved, until they were sent. */
export type MoneyNoticeTable = {
  /** What moved the money; unique, as the cause of a ledger entry. */
  cause: string;
  user_id: number;
  /** The event, as named in `modules/notifications/notifications.ts`. */
  kind: string;
  /** Quota units. */
  quota: number;
  /** The amount of money as people read it; empty: no money moved, only quota. */
  money: string;
  /** When a node took the notice to send it, in Unix milliseconds; 0: none has. */
  claimed_at: number;
};
