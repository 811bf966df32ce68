/**
 * Channels: configured ways to providers. Fields are spelled as in one-api's console API. Times are
 * Unix seconds, `response_time` is in milliseconds, `balance` is in US dollars as the provider
 * reported it.
 *
 * The API accepts keys and never returns them: in answers `key` is always empty, and `key_hints`
 * shows how each key begins and ends. No text except `tag` is ever null; JSON is sent as text, `""`
 * if there is none.
 */

import { z } from "zod";
import { channelFields, tagGroups, tagWeight } from "@tollgate/contract/fields/channel-fields.ts";
import { endpoint } from "./endpoint.ts";
import {
  id,
  queryFlag,
  queryText,
  queryWhole,
  sentText,
  sentWhole,
} from "@tollgate/contract/fields/fields.ts";
import { pageInput } from "./page.ts";

/** The refusal of every call about a channel that is not there any more. */
export const channelMissing = "渠道未找到，请刷新页面后重试。";

/**
 * Whether a channel serves calls, as the numbers of one-api's console API. A channel is
 * `disabledAutomatically` by the gateway and `disabled` by a person.
 */
export const channelStatus = z.enum({ enabled: 1, disabled: 2, disabledAutomatically: 3 });
export type ChannelStatus = z.infer<typeof channelStatus>;

/** The largest number of rows that a search without paging answers with. */
export const channelSearchMax = 1_000;

/** The largest number of channels of one batch call. */
export const channelBatchMax = 1_000;

/**
 * Columns that a list can be sorted by; a leading minus sorts the largest first. Other values are
 * ignored.
 */
export const channelSorts = [
  "id",
  "name",
  "type",
  "status",
  "response_time",
  "test_time",
  "used_quota",
  "balance",
  "priority",
  "weight",
  "created_time",
] as const;

const whole = z.number().int();

export const channel = z.object({
  id: whole,
  /** The number of the channel type. */
  type: whole,
  key: z.literal(""),
  /** Number of keys, and the ends of each, as `ab12••••wxyz`. */
  key_count: whole,
  key_hints: z.array(z.string()),
  openai_organization: z.string(),
  test_model: z.string(),
  status: channelStatus,
  name: z.string(),
  weight: whole,
  /** Channels with a higher priority are tried first. */
  priority: whole,
  created_time: whole,
  test_time: whole,
  /** Duration of the last successful test in milliseconds; 0: there was none. */
  response_time: whole,
  /** Why the last test failed; empty: it succeeded, or there was none. */
  test_error: z.string(),
  /** Base URL; empty: the provider's own. */
  base_url: z.string(),
  /** A further value whose meaning depends on the provider. */
  other: z.string(),
  balance: z.number(),
  balance_updated_time: whole,
  /** Names of models, separated by commas. */
  models: z.string(),
  /** Names of groups, separated by commas. */
  group: z.string(),
  used_quota: whole,
  model_mapping: z.string(),
  status_code_mapping: z.string(),
  /** 1: the gateway may disable the channel automatically; 0: it may not. */
  auto_ban: whole,
  /**
   * JSON text `{"status_reason","status_time"}`: why and when it was disabled automatically.
   */
  other_info: z.string(),
  tag: z.string().nullable(),
  setting: z.string(),
  param_override: z.string(),
});
export type Channel = z.infer<typeof channel>;

const rows = z.array(channel);
const ids = z.array(id).min(1, "参数错误").max(channelBatchMax, "参数错误");
const listing = { ...pageInput, id_sort: queryFlag, tag_mode: queryFlag, sort: queryText };
const search = {
  ...listing,
  keyword: queryText,
  group: queryText,
  model: queryText,
  /** Status that the listed channels have; 0 and absent: any. */
  status: queryWhole,
  type: queryWhole,
  /** `failed`: only channels whose last test failed; other texts are ignored. */
  test: queryText,
};

/** `total` counts the rows of all pages; with `tag_mode`, the tags of all pages. */
const counted = z.object({ total: whole });

/**
 * Lists channels, sorted by `sort`, otherwise by priority or newest first. With `tag_mode` a page
 * consists of tags and has all channels of each. Pages count from 0.
 */
export const listChannels = endpoint({
  method: "GET",
  path: "/api/channel/",
  access: "admin",
  input: z.object(listing),
  output: rows,
  extras: counted,
});

/**
 * Searches channels: those whose id or whole key is `keyword`, or whose name contains it. Without a
 * page, answers with all matches.
 */
export const searchChannels = endpoint({
  method: "GET",
  // Our own console sends the keyword in a body, because a key may be typed there.
  alias: "POST",
  path: "/api/channel/search",
  access: "admin",
  input: z.object(search),
  output: rows,
  extras: counted,
});

/**
 * Searches channels like `searchChannels`, and also by a whole key, which requires a model as well.
 */
export const searchNewChannels = endpoint({
  method: "GET",
  // Our own console sends the key in a body, so that it stands in no address.
  alias: "POST",
  path: "/api/channel/new/search",
  access: "root",
  input: z.object({
    ...search,
    key: z.string().trim().max(16_000).default(""),
  }),
  output: rows,
  extras: counted,
});

export const readChannel = endpoint({
  method: "GET",
  path: "/api/channel/:id",
  access: "admin",
  input: z.object({ id }),
  output: channel,
});

/**
 * Creates a channel for each line of `key`, or one with all of `keys`. A copy has no key of its
 * own: `copy_from` names the channel whose keys it gets, provided they go to the same server.
 */
export const createChannel = endpoint({
  method: "POST",
  path: "/api/channel/",
  access: "admin",
  input: z.object({
    ...channelFields,
    copy_from: sentWhole(0, Number.MAX_SAFE_INTEGER, "参数错误"),
    /**
     * Null marks a copy made by an older console, which names the source in `name` or `key` instead
     * of `copy_from`.
     */
    created_time: z.unknown().optional(),
  }),
  output: z.array(whole),
});

/**
 * Changes those fields of a channel that are sent. Consoles send one field or the whole row: an
 * empty `name`, `key`, `models`, `group`, `other`, `type` or `status` means no change; all other
 * fields are stored as sent.
 */
export const updateChannel = endpoint({
  method: "PUT",
  path: "/api/channel/",
  access: "admin",
  input: z.object({ ...channelFields, id }),
  output: channel,
});

export const removeChannel = endpoint({
  method: "DELETE",
  path: "/api/channel/:id",
  access: "admin",
  input: z.object({ id }),
  output: z.void(),
});

/**
 * Removes all channels that are not enabled, for whatever reason, and answers with their number.
 */
export const removeDisabledChannels = endpoint({
  method: "DELETE",
  path: "/api/channel/disabled",
  access: "admin",
  input: z.object({}),
  output: whole,
});

/** Removes channels and answers with their number. */
export const removeChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch",
  access: "admin",
  input: z.object({ ids }),
  output: whole,
});

const tag = sentText(100, "标签最多 100 个字符");

/** Sets the channels' tag, or removes it if empty; answers with their number. */
export const tagChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch/tag",
  access: "admin",
  input: z.object({ ids, tag }),
  output: whole,
});

/** Enables or disables channels and answers with their number. */
export const switchChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch/status",
  access: "admin",
  input: z.object({ ids, status: z.literal([1, 2], "渠道状态无效") }),
  output: whole,
});

/**
 * Changes all channels of a tag. An empty `new_tag` removes the tag; other empty fields mean no
 * change. A call that changes nothing is refused, and so is a tag that no channel has.
 */
export const updateTag = endpoint({
  method: "PUT",
  path: "/api/channel/tag",
  access: "admin",
  input: z.object({
    tag,
    new_tag: tag,
    priority: channelFields.priority,
    weight: tagWeight,
    model_mapping: channelFields.model_mapping,
    models: channelFields.models,
    groups: tagGroups,
  }),
  output: z.void(),
});

export const enableTag = endpoint({
  method: "POST",
  path: "/api/channel/tag/enabled",
  access: "admin",
  input: z.object({ tag }),
  output: z.void(),
});

export const disableTag = endpoint({
  ...enableTag,
  path: "/api/channel/tag/disabled",
});

/**
 * Reads all channels anew on every node, so that calls are routed by what the database has, and
 * answers with the number of channels that this node routed by otherwise, because somebody changed
 * the tables by hand. one-api clients call it to repair data derived from channels; here routes in
 * memory are all that is derived.
 */
export const fixChannels = endpoint({
  method: "POST",
  path: "/api/channel/fix",
  access: "admin",
  input: z.object({}),
  output: whole,
});

const names = z.array(z.string());

/**
 * Why calls of a group and model come to a channel now, or why not. `used`: a share of them does.
 * `reserve`: only when channels of a higher priority fail. `weightless`: its weight is 0 and that of
 * others is not. `cooldown`: the upstream requested a pause. `ejected`: it kept failing. `limit`:
 * its keys are asked as much as they take. `probing`: after an ejection, one call is trying it.
 * `no-price`, `no-group`: such calls are refused.
 */
const standingKind = z.enum([
  "no-group",
  "no-price",
  "cooldown",
  "ejected",
  "limit",
  "probing",
  "weightless",
  "reserve",
  "used",
]);
export type StandingKind = z.infer<typeof standingKind>;

/** The largest number of names that one line of a channel's standing lists. */
export const standingNamesMax = 50;

const channelStanding = z.object({
  /** `unusable`: the server cannot use the channel's type or settings. */
  state: z.enum(["on", "off", "unusable"]),
  /** The channel's status and `other_info`, which say who disabled one that is off, when and why. */
  status: channelStatus,
  other_info: z.string(),
  /** Groups and models that stand alike, those that are not served first. */
  lines: z.array(
    z.object({
      kind: standingKind,
      groups: names,
      /** The first `standingNamesMax` models; `model_count` counts all. */
      models: names,
      model_count: whole,
      /** The share of the first attempts of calls that come here, between 0 and 1. */
      share: z.number(),
      /** Unix seconds when the block ends; 0: there is none, or its end is not known. */
      until: whole,
    }),
  ),
});
export type ChannelStanding = z.infer<typeof channelStanding>;

/**
 * Says, by the rules that route calls, why a channel is or is not used now. Cooldowns and ejections
 * are those of the node that answers.
 */
export const readChannelStanding = endpoint({
  method: "GET",
  path: "/api/channel/:id/standing",
  access: "admin",
  input: z.object({ id }),
  output: channelStanding,
});

export const channelType = z.object({
  type: whole,
  label: z.string(),
  /** The provider's base URL; null: it has none, so each channel must have its own. */
  base_url: z.string().nullable(),
  /** Hint that the channel form shows for a base URL that needs more than an origin; null: none. */
  base_url_form: z.string().nullable(),
  /** Hint that the channel form shows for the key. */
  key_form: z.string(),
  /** Hint that the channel form shows for `other`; null: the form hides the field. */
  other_form: z.string().nullable(),
  testable: z.boolean(),
  /** Whether the upstream can report the balance and list the models of a key. */
  tells_balance: z.boolean(),
  lists_models: z.boolean(),
  models: names,
  /** Wire formats that `wire` in `setting` may name. */
  wires: names,
});

/** Lists all channel types, sorted by label. */
export const listChannelTypes = endpoint({
  method: "GET",
  path: "/api/channel/types",
  access: "admin",
  input: z.object({}),
  output: z.array(channelType),
});
