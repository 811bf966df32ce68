/**
 * Statistics of channels: what was charged through each channel, from the hourly roll-up of
 * charges and the log rows of hours at an end, and how its attempts ended, from counts that are kept
 * beside the billing. Times are Unix
 * seconds, quota is whole quota units.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { queryFlag, queryText, queryWhole } from "@tollgate/contract/fields/fields.ts";

const whole = z.number().int();

/** The largest number of rows of an answer: those with the largest charges. */
export const channelUseMax = 10_000;

const attempts = z.object({
  /** Requests to the channel. A call that is retried makes several, at one or more channels. */
  attempts: whole,
  /** Attempts that were not the first one of their call. */
  retries: whole,
  /** Attempts that were answered to the end, and those at which the channel failed. */
  succeeded: whole,
  failed: whole,
  /** The failures by their cause. */
  failed_key: whole,
  failed_limit: whole,
  failed_server: whole,
  failed_network: whole,
  failed_answer: whole,
  broken: whole,
  /**
   * Milliseconds to the first byte of an answer: the median and the 99th percentile, estimated from
   * buckets; null: there was no answer.
   */
  first_byte_p50: whole.nullable(),
  first_byte_p99: whole.nullable(),
});

const channelUse = z.object({
  channel_id: whole,
  /** That of a deleted channel is its last one; empty: it is not known. */
  channel_name: z.string(),
  /** Empty with `merge`, because the models are added up. */
  model_name: z.string(),
  /** Input and output tokens of charged calls, their number, and what they were charged. */
  token_used: whole,
  count: whole,
  quota: whole,
  ...attempts.shape,
});
export type ChannelUse = z.infer<typeof channelUse>;

/**
 * Lists what was charged through each channel and model, largest charge first. A channel that was
 * tried and never answered is listed too. Both times are included; 0: no bound. Charges are those of
 * exactly this time, or of the whole hour at an end whose log rows were cleaned or are more than
 * 500,000. Attempts are counted by hours, so theirs are of every hour that the time touches.
 */
export const listChannelUse = endpoint({
  method: "GET",
  path: "/api/data/channelUseData",
  access: "root",
  input: z.object({
    start_timestamp: queryWhole,
    end_timestamp: queryWhole,
    /** A part of the model's name. */
    model_name: queryText,
    channel_id: queryWhole,
    /** Adds up the models of each channel. */
    merge: queryFlag,
  }),
  output: z.array(channelUse),
});
