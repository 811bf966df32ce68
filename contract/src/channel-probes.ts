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

/** Sends one small call through a channel; `time` is in seconds, also when it failed. */
export const testChannel = endpoint({
  method: "GET",
  twin: "POST",
  changesState: true,
  path: "/api/channel/test/:id",
  access: "admin",
  input: z.object({ id, model: queryText }),
  output: z.void(),
  extras: z.object({ time: z.number() }),
});

/**
 * Starts testing every channel but those disabled by hand, and answers at once. With `key` and
 * `model`, those that have the key, with the model.
 */
export const testChannels = endpoint({
  method: "GET",
  twin: "POST",
  changesState: true,
  path: "/api/channel/test",
  access: "admin",
  input: z.object({ key: z.string().trim().max(16_000).default(""), model: queryText }),
  output: z.void(),
});

/**
 * Sends one small call through a channel as it would be saved, and saves nothing. With `id` and
 * no key it goes with the first key of that channel, as long as that goes to the same server.
 */
export const tryChannel = endpoint({
  method: "POST",
  path: "/api/channel/try",
  access: "admin",
  input: z.object({ ...channelFields, id: id.optional(), model: sentText(255, "模型名称过长") }),
  output: z.void(),
  extras: z.object({ time: z.number() }),
});

/** Asks a channel's upstream what is left there. */
export const updateBalance = endpoint({
  method: "GET",
  twin: "POST",
  changesState: true,
  path: "/api/channel/update_balance/:id",
  access: "admin",
  input: z.object({ id }),
  output: z.void(),
  extras: z.object({ balance: z.number() }),
});

/** Starts asking for the balances of all enabled channels, and answers at once. */
export const updateBalances = endpoint({
  method: "GET",
  twin: "POST",
  changesState: true,
  path: "/api/channel/update_balance",
  access: "admin",
  input: z.object({}),
  output: z.void(),
});

/** Work on many channels in the background: the running round, else the last. */
export const channelRound = z.object({
  running: z.boolean(),
  /** Channels done, those that failed among them, and how many there are to do. */
  done: whole,
  failed: whole,
  total: whole,
});
export type ChannelRound = z.infer<typeof channelRound>;

/** How far testing all channels and updating all balances are, on the node that answers. */
export const readRounds = endpoint({
  method: "GET",
  path: "/api/channel/rounds",
  access: "admin",
  input: z.object({}),
  output: z.object({ tests: channelRound, balances: channelRound }),
});

/** Names of the models a channel's provider lists. */
export const fetchModels = endpoint({
  method: "GET",
  path: "/api/channel/fetch_models/:id",
  access: "admin",
  input: z.object({ id }),
  output: names,
});

/** The same for a channel that does not exist yet; of several keys the first is used. */
export const fetchNewModels = endpoint({
  method: "POST",
  path: "/api/channel/fetch_models",
  access: "admin",
  input: z.object({
    base_url: channelFields.base_url,
    type: channelFields.type,
    key: channelFields.key,
    other: channelFields.other,
    /** Without a key: the first of this channel's, as long as it goes to the same server. */
    id: id.optional(),
  }),
  output: names,
});
