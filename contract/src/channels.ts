/**
 * Channels: configured ways to providers. Fields keep the specification's spelling. Times are Unix
 * seconds, `response_time` milliseconds, `balance` US dollars as the provider told it.
 *
 * Keys are accepted and never answered: `key` is always empty, `key_hints` shows their ends.
 * Texts are never null but for `tag`; JSON is text, `""` when there is none.
 */

import { z } from "zod";
import { channelFields } from "./channel-fields.ts";
import { endpoint } from "./endpoint.ts";
import { id, queryFlag, queryText, queryWhole, sentText, sentWhole } from "./fields.ts";
import { pageInput } from "./page.ts";

/** The numbers of the specification. */
export const channelStatus = z.enum({ enabled: 1, disabled: 2, disabledAutomatically: 3 });
export type ChannelStatus = z.infer<typeof channelStatus>;

/** Rows a search without paging answers with. */
export const channelSearchMax = 1_000;

/** Channels one batch call names. */
export const channelBatchMax = 1_000;

/** What a list can be sorted by; a minus in front: largest first. Others sort nothing. */
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
  /** The provider's number. */
  type: whole,
  key: z.literal(""),
  /** How many keys it has, and each as `ab12••••wxyz`. */
  key_count: whole,
  key_hints: z.array(z.string()),
  openai_organization: z.string(),
  test_model: z.string(),
  status: channelStatus,
  name: z.string(),
  weight: whole,
  /** Higher first. */
  priority: whole,
  created_time: whole,
  test_time: whole,
  /** 0: untested. */
  response_time: whole,
  /** Empty: the provider's own. */
  base_url: z.string(),
  /** What it means depends on the provider. */
  other: z.string(),
  balance: z.number(),
  balance_updated_time: whole,
  /** Comma-separated. */
  models: z.string(),
  /** Comma-separated. */
  group: z.string(),
  used_quota: whole,
  model_mapping: z.string(),
  status_code_mapping: z.string(),
  /** 1: takes part in automatic disabling. */
  auto_ban: whole,
  /** JSON text `{"status_reason","status_time"}`. */
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
  /** 0 and absent: any. */
  status: queryWhole,
  type: queryWhole,
};

/** `total` counts the rows of all pages; in tag mode the tags. */
const counted = z.object({ total: whole });

/**
 * By `sort`, else by priority, or newest first. With `tag_mode` a page is of tags, and holds all
 * channels of each, side by side. Pages count from 0.
 */
export const listChannels = endpoint({
  method: "GET",
  path: "/api/channel/",
  access: "admin",
  input: z.object(listing),
  output: rows,
  extras: counted,
});

/** Whose id or whole key `keyword` is or whose name holds it. All that match unless paged. */
export const searchChannels = endpoint({
  method: "GET",
  path: "/api/channel/search",
  access: "admin",
  input: z.object(search),
  output: rows,
  extras: counted,
});

/** Narrowed by whole key as well, which needs a model beside it. */
export const searchNewChannels = endpoint({
  method: "GET",
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
 * Creates a channel for each line of `key`; one with all of `keys`. A copy has no key of its own:
 * `copy_from` names the channel whose keys it gets, as long as they go to the same server.
 *
 * @returns their ids.
 */
export const createChannel = endpoint({
  method: "POST",
  path: "/api/channel/",
  access: "admin",
  input: z.object({
    ...channelFields,
    copy_from: sentWhole(0, Number.MAX_SAFE_INTEGER, "参数错误"),
    /** Null in a copy made by older consoles, which name the source in `name` or `key`. */
    created_time: z.unknown().optional(),
  }),
  output: z.array(whole),
});

/**
 * Changes what is sent. Consoles send a field or the whole row: empty `name`, `key`, `models`,
 * `group`, `other`, `type` and `status` leave what there is; everything else is taken as sent.
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

/** Removes every channel that is not enabled, however that came; answers how many. */
export const removeDisabledChannels = endpoint({
  method: "DELETE",
  path: "/api/channel/disabled",
  access: "admin",
  input: z.object({}),
  output: whole,
});

/** Answers how many were removed. */
export const removeChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch",
  access: "admin",
  input: z.object({ ids }),
  output: whole,
});

const tag = sentText(100, "标签最多 100 个字符");

/** Gives channels a tag, or takes it when it is empty; answers how many. */
export const tagChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch/tag",
  access: "admin",
  input: z.object({ ids, tag }),
  output: whole,
});

/** Enables or disables channels; answers how many. */
export const switchChannels = endpoint({
  method: "POST",
  path: "/api/channel/batch/status",
  access: "admin",
  input: z.object({ ids, status: z.literal([1, 2], "渠道状态无效") }),
  output: whole,
});

/** Changes every channel of a tag. An empty `new_tag` takes the tag; other empty fields stay. */
export const updateTag = endpoint({
  method: "PUT",
  path: "/api/channel/tag",
  access: "admin",
  input: z.object({
    tag,
    new_tag: tag,
    priority: channelFields.priority,
    weight: channelFields.weight,
    model_mapping: channelFields.model_mapping,
    models: channelFields.models,
    /** Comma-separated. */
    groups: channelFields.group,
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

/** Nothing is derived from channels that could go wrong: answers how many there are. */
export const fixChannels = endpoint({
  method: "POST",
  path: "/api/channel/fix",
  access: "admin",
  input: z.object({}),
  output: whole,
});

const names = z.array(z.string());

export const channelType = z.object({
  type: whole,
  label: z.string(),
  /** Null: each channel must bring its own. */
  base_url: z.string().nullable(),
  /** What the form says beside the base URL where that is more than an origin; null: nothing. */
  base_url_form: z.string().nullable(),
  /** What the form says beside the key. */
  key_form: z.string(),
  /** What the form says beside `other`; null: the field is not shown. */
  other_form: z.string().nullable(),
  testable: z.boolean(),
  /** Whether the upstream can be asked for the balance, and for its models. */
  tells_balance: z.boolean(),
  lists_models: z.boolean(),
  models: names,
  /** What `wire` in `setting` may be. */
  wires: names,
});

/** Every kind of channel there is, by label. */
export const listChannelTypes = endpoint({
  method: "GET",
  path: "/api/channel/types",
  access: "admin",
  input: z.object({}),
  output: z.array(channelType),
});
