import type { Generated } from "kysely";

/**
 * Asynchronous tasks: pictures, songs and videos that an upstream makes over minutes. Written by
 * `modules/tasks`; the ledger writes charge and refund in its own transactions, through it.
 */
export type TaskTable = {
  id: Generated<number>;
  /** The gateway's own id, the only one that clients see: `T` and 32 letters and digits. */
  task_id: string;
  /** The upstream's id, unique in the channel; empty: no upstream has accepted the task. */
  upstream_id: string;
  /** The request that began the task, by which its charge is found. */
  request_id: string;
  /** A key of `platforms/registry.ts`. */
  platform: string;
  action: string;
  model_name: string;
  group: string;
  user_id: number;
  token_id: number;
  /** 1: the charge also counts against the token's own limit. */
  token_limited: number;
  channel_id: number;
  /** A keyed hash of the channel's key with which the task was submitted. */
  key_ref: string;
  /** As `taskStatus` of the contract; empty: it is being submitted. */
  status: string;
  /** What a Midjourney upstream said to the submission; 0: it did not accept it. */
  code: number;
  /** 0 to 100. */
  progress: number;
  prompt: string;
  prompt_en: string;
  description: string;
  /** A text of the client that every answer repeats. */
  state: string;
  fail_reason: string;
  /** Address of the picture or video at the upstream; empty: there is none yet. */
  result_url: string;
  /** JSON text with the other fields of the upstream's last answer. */
  data: string;
  /** The client's address that is told of each change; empty: none. */
  notify_hook: string;
  /** Unix milliseconds; 0: not yet. */
  submit_time: number;
  start_time: number;
  finish_time: number;
  /** What the task costs if it is accepted, in quota units. */
  cost: number;
  /** What was charged, and what of it was given back. */
  quota: number;
  refunded: number;
  /** What the upstream may charge, although nobody paid for it. */
  loss: number;
  /** The log row of the charge; 0: none. */
  log_id: number;
  /** When the upstream is asked next, or when the lease of the node that asks it ends; 0: never. */
  due_at: number;
  /** When the task fails if it has not ended. */
  deadline_at: number;
};
