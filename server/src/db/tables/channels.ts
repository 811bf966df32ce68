import type { Generated } from "kysely";

/** Channels. Written by `modules/channels` only. Times are in Unix seconds. */
export type ChannelTable = {
  id: Generated<number>;
  /** The number of the channel type, see `providers/registry.ts`. */
  type: number;
  name: string;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  /** Base URL without a trailing slash; empty: the provider's default. */
  base_url: string;
  /**
   * A further value whose meaning depends on the provider, such as a version, a region or an
   * account id.
   */
  other: string;
  /** Comma-separated model names that clients use. */
  models: string;
  /** Comma-separated groups that may use the channel. */
  group: string;
  /** JSON object text, model → upstream model; `""`: none. */
  model_mapping: string;
  /**
   * JSON object text: the upstream's status → the status that is judged and shown instead; `""`:
   * none.
   */
  status_code_mapping: string;
  /** JSON object text of top-level fields to set in the body; `""`: none. */
  param_override: string;
  /** JSON object text: `wire`, time limits …, see `contract/src/endpoints/channels.ts`; `""`: none. */
  setting: string;
  /** JSON object text `{"status_reason","status_time"}`; `""`: none. */
  other_info: string;
  tag: string | null;
  /** Channels with a higher priority are tried first. */
  priority: number;
  /** The channel's weight among those of the same priority; ≥ 0. */
  weight: number;
  /** 1: the channel may be disabled automatically; 0: it may not. */
  auto_ban: number;
  openai_organization: string;
  test_model: string;
  created_time: number;
  test_time: number;
  /** Duration of the last successful test in milliseconds; 0: there was none. */
  response_time: number;
  /** Why the last test failed; `""`: it succeeded, or there was none. */
  test_error: Generated<string>;
  /**
   * The account's balance at the provider in US dollars, as the provider reported it. For display
   * only; no call is paid from it.
   */
  balance: number;
  balance_updated_time: number;
};

/** Credentials presented to providers. Written by `modules/channels` only. */
export type ChannelKeyTable = {
  id: Generated<number>;
  channel_id: number;
  /** AES-256-GCM, base64; bound to table and channel. */
  sealed: string;
  /** Keyed hash of the key, hex, to find a channel by its key without decrypting any. */
  fingerprint: string;
  /** The key as it is displayed, such as `ab12••••wxyz`. */
  hint: string;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  created_time: number;
};

/**
 * When the scheduled rounds of channels have last begun, on whichever node. `begun_at` is Unix
 * milliseconds by the clock of the database. Written by `modules/channels` only.
 */
export type RoundTimeTable = { name: string; begun_at: number };
