/**
 * Requests that the gateway itself sends to a channel's upstream: tests, and queries for its
 * balance and its models. Work on many channels runs in the background; one pass over them is a
 * round.
 */

import { z } from "zod";
import {
  channelFields,
  channelKeyMax,
  channelKeysMax,
} from "@tollgate/contract/fields/channel-fields.ts";
import { endpoint } from "./endpoint.ts";
import { id, queryFlag, queryText, sentText } from "@tollgate/contract/fields/fields.ts";

const whole = z.number().int();
const names = z.array(z.string());

/**
 * Tests a channel with one small call, which with `stream` asks for a stream. `time` is the duration
 * in seconds, also of a failed test.
 */
export const testChannel = endpoint({
  method: "GET",
  alias: "POST",
  changesState: true,
  path: "/api/channel/test/:id",
  access: "admin",
  input: z.object({ id, model: queryText, stream: queryFlag }),
  output: z.void(),
  extras: z.object({ time: z.number() }),
});

/**
 * Starts testing all channels except those disabled by hand, and answers without waiting for the
 * results. With `key` and `model`: tests the channels that have this key, with this model.
 */
export const testChannels = endpoint({
  method: "GET",
  alias: "POST",
  changesState: true,
  path: "/api/channel/test",
  access: "admin",
  input: z.object({ key: z.string().trim().max(16_000).default(""), model: queryText }),
  output: z.void(),
});

/**
 * Tests a channel with one small call as it would be saved, and saves nothing. With `id` and no
 * key, it uses that channel's first key, provided the call goes to the same server.
 */
export const tryChannel = endpoint({
  method: "POST",
  path: "/api/channel/try",
  access: "admin",
  input: z.object({ ...channelFields, id: id.optional(), model: sentText(255, "模型名称过长") }),
  output: z.void(),
  extras: z.object({ time: z.number() }),
});

/** Asks a channel's upstream for its balance. */
export const updateBalance = endpoint({
  method: "GET",
  alias: "POST",
  changesState: true,
  path: "/api/channel/update_balance/:id",
  access: "admin",
  input: z.object({ id }),
  output: z.void(),
  extras: z.object({ balance: z.number() }),
});

/**
 * Starts updating the balances of all enabled channels, and answers without waiting for the
 * results.
 */
export const updateBalances = endpoint({
  method: "GET",
  alias: "POST",
  changesState: true,
  path: "/api/channel/update_balance",
  access: "admin",
  input: z.object({}),
  output: z.void(),
});

/** The largest number of failed channels that a round names. */
export const roundFailuresMax = 20;

/**
 * Progress of a round, which is background work on many channels. While no round is running, the
 * figures are those of the last one.
 */
export const channelRound = z.object({
  /** The number of rounds of this kind so far; tells one from the next. */
  run: whole,
  running: z.boolean(),
  /**
   * `done`: channels that were processed, including failed ones; `total`: all channels of the
   * round.
   */
  done: whole,
  failed: whole,
  total: whole,
  /** The ids of the failed channels, of at most `roundFailuresMax`. */
  failed_ids: z.array(whole),
  /** The channels that are being worked on now. */
  current: z.array(whole),
  /** Whether somebody stopped the round: no further channels are begun. */
  stopped: z.boolean(),
});
export type ChannelRound = z.infer<typeof channelRound>;

/**
 * Progress of the rounds that test all channels and update all balances, on whatever node they run;
 * other nodes learn of it within a second or so.
 */
export const readRounds = endpoint({
  method: "GET",
  path: "/api/channel/rounds",
  access: "admin",
  input: z.object({}),
  output: z.object({ tests: channelRound, balances: channelRound }),
});

/**
 * Stops a running round after the channels that are being worked on. Answers false if none is
 * running.
 */
export const stopRound = endpoint({
  method: "POST",
  path: "/api/channel/rounds/stop",
  access: "admin",
  input: z.object({ round: z.enum(["balances", "tests"], "参数错误") }),
  output: z.boolean(),
});

/** Asks the channel's provider for its list of models. */
export const fetchModels = endpoint({
  method: "GET",
  path: "/api/channel/fetch_models/:id",
  access: "admin",
  input: z.object({ id }),
  output: names,
});

/**
 * Asks a provider for its list of models, for a channel that does not exist yet. If several keys
 * are sent, the first one is used.
 */
export const fetchNewModels = endpoint({
  method: "POST",
  path: "/api/channel/fetch_models",
  access: "admin",
  input: z.object({
    base_url: channelFields.base_url,
    type: channelFields.type,
    key: channelFields.key,
    other: channelFields.other,
    /** Names the proxy to go through; absent: that of channel `id`. */
    setting: channelFields.setting,
    /**
     * Channel whose first key is used if `key` is absent, provided the call goes to the same
     * server.
     */
    id: id.optional(),
  }),
  output: names,
});

/**
 * Says which of these keys channels already have, before somebody saves them once more. The keys are
 * sent in a body, so that they stand in no address, and nothing of them is stored.
 */
export const findKnownKeys = endpoint({
  method: "POST",
  path: "/api/channel/keys/known",
  access: "admin",
  input: z.object({
    keys: z.array(z.string().trim().min(1).max(channelKeyMax)).min(1).max(channelKeysMax),
  }),
  output: z.array(
    z.object({
      /** The place of the key in `keys`, counted from 0. */
      at: whole,
      /** The channels that have it; the first of them, if there are many. */
      channels: z.array(z.object({ id, name: z.string() })),
    }),
  ),
});
