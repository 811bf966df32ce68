import type { Generated } from "kysely";

/**
 * How users want to be told of things, and of which; no row: nothing was saved. All tables of this
 * file are written by `modules/notifications` only.
 */
export type NotificationSettingTable = {
  user_id: number;
  notify_type: string;
  /** Quota units. */
  quota_warning_threshold: number;
  /** Of all notification ways: a sealed JSON text, see `modules/notifications/settings.ts`. */
  settings: string;
  /** 1: told of a low balance; 0: not. */
  quota_low: number;
  /** 1: told of changed prices; 0: not. */
  price_change: number;
  /** 1: told of a changed notice; 0: not. */
  announcement: number;
};

/** Who was told of a low balance. */
export type QuotaWarningTable = {
  user_id: number;
  /** Unix milliseconds. */
  warned_at: number;
  /** 1: the balance was not seen above the threshold since; 0: it was. */
  is_low: number;
};

/** What is told to everybody who subscribed to its event; users are gone through by their ids. */
export type BroadcastTable = {
  id: Generated<number>;
  /** As in `contract/notifications.ts`. */
  event: string;
  /** The announcement as plain text; empty for other events. */
  content: string;
  /** Unix milliseconds it waits for. */
  begins_at: number;
  /** Id of the last user somebody went about telling; 0: nobody yet. */
  cursor: number;
  /** When that was, in Unix milliseconds; 0: it has not begun. */
  claimed_at: number;
  /** 1: everybody was gone through; 0: not yet. */
  is_over: number;
};
