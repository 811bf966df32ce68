/**
 * How users want to be told of things; no row: nothing was saved. Both tables of this file are
 * written by `modules/notifications` only.
 */
export type NotificationSettingTable = {
  user_id: number;
  notify_type: string;
  /** Quota units. */
  quota_warning_threshold: number;
  /** Empty: the account's own address. */
  notification_email: string;
  webhook_url: string;
  /** Sealed; empty: posts are not signed. */
  webhook_secret: string;
  bark_url: string;
};

/** Who was told of a low balance. */
export type QuotaWarningTable = {
  user_id: number;
  /** Unix milliseconds. */
  warned_at: number;
  /** 1: the balance was not seen above the threshold since; 0: it was. */
  is_low: number;
};
