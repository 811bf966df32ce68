import type { Generated } from "kysely";

/** Credentials of client programs. Written by `modules/tokens` only. Times in Unix seconds. */
export type TokenTable = {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** Keyed hash of the key, hex; unique. Authentication looks tokens up by it. */
  lookup: string;
  /**
   * The key, encrypted with AES-256-GCM, base64; bound to table and user. Its owner may read it
   * again.
   */
  sealed: string;
  /** The key as it is displayed, such as `ab12••••wxyz`. */
  hint: string;
  /** Keyed hash of the key that was replaced last; empty: none was. */
  old_lookup: Generated<string>;
  /** That key as it is displayed. */
  old_hint: Generated<string>;
  /** When that key ends, in Unix seconds; it is refused from then on. */
  old_ends_at: Generated<number>;
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  status: number;
  created_time: number;
  accessed_time: number;
  /** −1: never. */
  expired_time: number;
  /** 1: the token's quota is unlimited; 0: `token_balances` has what the token may still spend. */
  unlimited_quota: number;
  /** 1: the token may call only the models in `model_limits`; 0: every model. */
  model_limits_enabled: number;
  /** Names of models, separated by commas. */
  model_limits: string;
  /** Addresses or CIDR blocks, one per line; empty: any. */
  allow_ips: string;
  /** Addresses or CIDR blocks from which the token may not be used, one per line. */
  deny_ips: string;
  /** How many calls the token may begin within `rate_limit_seconds`; 0: any number. */
  rate_limit_count: number;
  rate_limit_seconds: number;
  /** The text of the error that a call over the rate limit gets; empty: the usual text. */
  rate_limit_message: string;
  /** Speed of drawing tasks: `fast`, `relax` or `turbo`; empty: what the request says. */
  mj_mode: string;
  /** How addresses of drawn pictures are rewritten: `prefix` or `replace`; empty: not at all. */
  mj_proxy_method: string;
  mj_proxy_address: string;
  /** 1: drawing tasks may use channels that are tagged `backup`. */
  mj_backup_pool: number;
  /** The token's own chat clients, one per line: a name, a space, and an address. */
  chat_links: string;
  /** How much the token may spend in a day, a week and a month, in quota units; 0: any amount. */
  budget_day: number;
  budget_week: number;
  budget_month: number;
  /** The group whose prices and channels the token uses; empty: the owner's group. */
  group: string;
  /** Tags of the token's calls, one a line. */
  tags: Generated<string>;
  /** When the token was deleted, in RFC 3339; null: it is not deleted. */
  DeletedAt: string | null;
};

/**
 * Every name that a token has had, by which log rows are found: they have the name of their time.
 * Never removed.
 */
export type TokenNameTable = {
  name: string;
  token_id: number;
  user_id: number;
};
