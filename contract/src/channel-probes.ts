/**
 * Requests that a channel's upstream gets to find out about it: tests, balances, lists of models.
 * What runs over many channels runs in the background, as a round.
 */

import { z } from "zod";
import { channelFields } from "./channel-fields.ts";
import { endpoint } from "./endpoint.ts";
import { id, queryText, sentText } from "./fields.ts";

const whole = z.number().int();
const names = z.array(z.string());

/** Sends one small call through a channel; `time` is in seconds, also if it failed. */
export const testChannel = endpoint({
  method: "GET",
  alias: "POST",
  changesState: true,
  path: "/api/channel/test/:id",
  access: "admin",
  input: z.object({ id, model: queryText }),
  output: z.void(),
  extras: z.object({ time: z.number() }),
});

/**
 * Starts testing all channels except those disabled by hand, and answers at once. With `key` and
 * `model`: the channels that have this key, tested with this model.
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
 * Sends one small call through a channel as it would be saved, and saves nothing. With `id` and no
 * key, it uses that channel's first key, provided it goes to the same server.
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

/** Starts updating the balances of all enabled channels, and answers at once. */
export const updateBalances = endpoint({
  method: "GET",
  alias: "POST",
  changesState: true,
  path: "/api/channel/update_balance",
  access: "admin",
  input: z.object({}),
  output: z.void(),
});

/** Background work on many channels: the running round, otherwise the last one. */
export const channelRound = z.object({
  running: z.boolean(),
  /** Channels that are done, including failed ones; those that failed; and all of the round. */
  done: whole,
  failed: whole,
  total: whole,
});
export type ChannelRound = z.infer<typeof channelRound>;

/** Progress of testing all channels and updating all balances, on the node that answers. */
export const readRounds = endpoint({
  method: "GET",
  path: "/api/channel/rounds",
  access: "admin",
  input: z.object({}),
  output: z.object({ tests: channelRound, balances: channelRound }),
});

/** Models that the channel's provider lists. */
export const fetchModels = endpoint({
  method: "GET",
  path: "/api/channel/fetch_models/:id",
  access: "admin",
  input: z.object({ id }),
  output: names,
});

/**
 * Models that the provider lists for a channel that does not exist yet; of several keys, the first
 * is used.
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
    /**
     * If `key` is absent, the first key of this channel is used, provided the call goes to the same
     * server.
     */
    id: id.optional(),
  }),
  output: names,
});
