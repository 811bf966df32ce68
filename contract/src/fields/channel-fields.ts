/**
 * The fields of a channel as consoles send them, each undefined when absent. Lists and JSON stay
 * text, checked and tidied, so that the relay can read whatever is stored.
 */

import { trimEndOf } from "./trim-end.ts";
import { z } from "zod";
import { characterCount, isPlain, sentFlag, sentText, sentWhole } from "./fields.ts";
import { groupName } from "@tollgate/contract/endpoints/groups.ts";
import { modelNameMax } from "@tollgate/contract/endpoints/prices.ts";

const channelNameMax = 100;
/** The largest number of models, and of groups, of one channel. */
const channelListMax = 2_000;
/** The longest text of such a list, in characters. */
const listTextMax = 200_000;
/**
 * The longest key, in characters. The longest known keys are service accounts as JSON, of fewer
 * than 4,000.
 */
export const channelKeyMax = 16_000;
/** The largest number of keys of one channel, and of channels that one call creates from keys. */
export const channelKeysMax = 100;
/** The longest JSON text of a field, in characters. */
const jsonMax = 64_000;

/** Time limits, in milliseconds, of channels that set none of their own. */
export const timeLimitsDefault = {
  connectMs: 5_000,
  firstByteMs: 60_000,
  betweenChunksMs: 60_000,
  totalMs: 1_800_000,
};

const ms = (max: number) => z.number().int().min(100).max(max).optional();

/** The longest value of a header, in characters. */
const headerValueMax = 4_096;

/** The longest text in front of the client's instructions, in characters. */
export const systemPromptMax = 16_000;

/** The largest limit of a key. */
const keyLimitMax = 1_000_000_000;

/** The longest address of a proxy, in characters. */
const proxyMax = 2_048;

/**
 * What `setting` may contain. Unknown keys, such as those of other programs, are kept, so that a
 * channel can be copied between installations; `unknownSettings` names them.
 */
export const channelSetting = z.looseObject({
  /**
   * Restricts the channel to this wire format of the provider; absent: the client's own format if
   * the provider speaks it.
   */
  wire: z.string().max(40).optional(),
  connectMs: ms(60_000),
  firstByteMs: ms(600_000),
  betweenChunksMs: ms(600_000),
  totalMs: ms(7_200_000),
  /**
   * How many of the output tokens that the upstream reports are believed: `limit`: up to the call's
   * own output limit; `visible`: only as many as the gateway saw arrive. Absent: `limit`.
   */
  usage_trust: z.enum(["limit", "visible"]).optional(),
  /**
   * Address of the proxy through which the channel's upstream is reached; empty: none of its own.
   * User name and password may stand in it.
   */
  proxy: z
    .string()
    .max(proxyMax)
    .refine((text) => text === "" || isProxy(text), {
      error: "代理地址必须以 http://、https:// 或 socks5:// 开头",
    })
    .optional(),
  /**
   * Whether every user of the channel may name what the upstream keeps: responses, conversations,
   * files, stores and containers of whomever. Absent: users may only name what an answer gave them.
   */
  shares_ids: z.boolean().optional(),
  /**
   * Whether conversations stay at one channel and key, where their prompts are cached; absent: as the
   * model or the group says.
   */
  conversations: z.enum(["on", "off"]).optional(),
  /**
   * Whether requests whose clients say nothing of the provider's prompt cache get what it needs: where
   * the cache ends (Anthropic), or the key of the conversation (OpenAI).
   */
  cache_marks: z.boolean().optional(),
  /**
   * The most that each key of the channel is asked: calls at once, and requests and tokens within a
   * minute; absent or 0: any. What the upstream tells of its limits counts as well.
   */
  key_limits: z
    .strictObject({
      calls: z.number().int().min(0).max(keyLimitMax).optional(),
      requests: z.number().int().min(0).max(keyLimitMax).optional(),
      tokens: z.number().int().min(0).max(keyLimitMax).optional(),
    })
    .optional(),
  /** Whether clients get results of tasks from this server instead of the upstream's address. */
  stream_results: z.boolean().optional(),
  /**
   * Headers to set in requests to the upstream, in place of those that the provider needs. In a
   * value, `{api_key}` stands for the channel's key.
   */
  header_override: z
    .record(z.string(), z.string().max(headerValueMax))
    .refine((headers) => Object.entries(headers).every(isHeader), {
      error: "请求头无效，或不能覆盖（host、content-type、content-length 等由网关设置）",
    })
    .optional(),
  /** Text in front of the client's own instructions to the model, in every conversation. */
  system_prompt: z.string().max(systemPromptMax).optional(),
  /**
   * Whether answers of chat completions are written anew in the standard form, instead of as the
   * upstream wrote them.
   */
  force_format: z.boolean().optional(),
  /**
   * Whether the reasoning of chat completions is moved into their text, between the lines `<think>`
   * and `</think>`, for clients that read nothing else.
   */
  thinking_to_content: z.boolean().optional(),
  /**
   * The field in which the reasoning of earlier turns goes back to an upstream of chat completions
   * when a call is translated; `none`: it does not. Absent: as the provider documents it.
   */
  reasoning_field: z.enum(["none", "reasoning", "reasoning_content"]).optional(),
});
export type ChannelSetting = z.infer<typeof channelSetting>;

/** Headers that decide how a request is framed and read, so that only the gateway sets them. */
const ownHeaders: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function isHeader([name, value]: readonly [string, string]): boolean {
  const isToken = /^[!#$%&'*+.^_\x60|~0-9A-Za-z-]{1,100}$/.test(name);
  return isToken && !ownHeaders.has(name.toLowerCase()) && /^[\x20-\x7e]*$/.test(value);
}

function isProxy(text: string): boolean {
  return URL.canParse(text) && /^(?:https?|socks5h?):\/\/[^/]/.test(text);
}

/** Returns the keys of a valid `setting` that have no effect, because no program here knows them. */
export function unknownSettings(text: string): string[] {
  const setting = text === "" ? {} : channelSetting.parse(JSON.parse(text));
  return Object.keys(setting).filter((name) => !Object.hasOwn(channelSetting.shape, name));
}

/** Maps a name that clients use to the name of the model at the upstream. */
export const modelMapping = z.record(z.string(), z.string().trim().min(1).max(modelNameMax));

/**
 * Maps an HTTP status that the upstream answers with to the status that the gateway handles and
 * shows instead. 200 cannot be mapped.
 */
export const statusCodeMapping = z.record(
  z.string().regex(/^[3-5]\d\d$/),
  z
    .union([z.string(), z.number()])
    .transform(String)
    .pipe(z.string().regex(/^[3-5]\d\d$/)),
);

/** Fields that decide how a call is routed and priced, so a channel cannot override them. */
const pricedFields: ReadonlySet<string> = new Set(["model", "n", "stream"]);

/** Maps fields of the request body to the values that are sent instead. */
export const paramOverride = z
  .record(z.string(), z.json())
  .refine((fields) => Object.keys(fields).every((name) => !pricedFields.has(name)), {
    error: `参数覆盖不能包含 ${[...pricedFields].join(", ")}`,
  });

/**
 * Makes the schema of a JSON text whose value `schema` checks. `broken` makes the message for an
 * object of which one field is invalid.
 */
const json = (schema: z.ZodType, rule: string, broken?: (field: string) => string) =>
  z
    .union([z.string().max(jsonMax, rule), z.null()], rule)
    .optional()
    .transform((sent, context) => {
      const text = sent === null ? "" : sent?.trim();
      if (text === undefined) return undefined;
      if (text === "" || text === "null" || text === "{}") return "";
      const parsed = schema.safeParse(parseJson(text));
      if (parsed.success) return text;
      const own = parsed.error.issues.find((issue) => issue.code === "custom");
      const field = parsed.error.issues[0]?.path[0];
      const named = field === undefined ? undefined : broken?.(String(field));
      context.addIssue({ code: "custom", message: own?.message ?? named ?? rule });
      return z.NEVER;
    });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes the schema of a comma-separated list; it drops empty and duplicate entries. */
const list = (rule: string, check: (entry: string) => string | undefined) =>
  z
    .union([z.string(), z.null()])
    .optional()
    .transform((sent, context) => {
      if (sent === undefined) return undefined;
      const isLong = (sent ?? "").length > listTextMax;
      const texts = isLong || sent === null ? [] : sent.split(/[,\n]/);
      const entries = [...new Set(texts.map((entry) => entry.trim()))];
      const filled = entries.filter((entry) => entry !== "");
      const broken = filled.map(check).find((message) => message !== undefined);
      const message = isLong || filled.length > channelListMax ? rule : broken;
      if (message === undefined) return filled.join(",");
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    });

const models = list(`模型最多 ${channelListMax} 个`, (name) =>
  characterCount(name) > modelNameMax || !isPlain(name)
    ? `模型名称过长: ${name.slice(0, 40)}`
    : undefined,
);

/** Names of groups, separated by commas. */
const groups = list(`分组最多 ${channelListMax} 个`, (name) => {
  const parsed = groupName.safeParse(name);
  return parsed.success ? undefined : parsed.error.issues[0]?.message;
});

/** Makes the schema of a text of several lines. */
const longText = (max: number, rule: string) =>
  z
    .union([z.string().max(max, rule), z.null()], rule)
    .optional()
    .transform((sent) => (sent === null ? "" : sent?.trim()));

const keyRule = `渠道密钥最多 ${channelKeyMax} 个字符，一次最多 ${channelKeysMax} 个`;

const weightRule = "权重必须是非负整数！";

/** The weight of all channels of a tag; one below 0 is refused, as the form does. */
export const tagWeight = sentWhole(0, 1_000_000, weightRule);

/** The groups of all channels of a tag: names, as a list or separated by commas. */
export const tagGroups = z
  .union([z.string(), z.array(z.string()).max(channelListMax), z.null()])
  .optional()
  .transform((sent) => (Array.isArray(sent) ? sent.join(",") : sent))
  .pipe(groups);

/** The fields of a channel that an administrator sets. */
export const channelFields = {
  /** The channel type's number. When editing, 0 and absent mean no change. */
  type: sentWhole(0, 100_000, "渠道类型无效"),
  name: sentText(channelNameMax, `渠道名称最多 ${channelNameMax} 个字符`),
  /** One key, or several, one a line. When a channel is edited, an empty text keeps its keys. */
  key: longText(channelKeyMax * channelKeysMax, keyRule),
  /** Several keys for one channel, in place of `key`. */
  keys: z
    .array(z.string().max(channelKeyMax, keyRule), keyRule)
    .max(channelKeysMax, keyRule)
    .nullish(),
  /** The base URL without a final slash; empty: the provider's own. */
  base_url: sentText(2_048, "API 地址过长").transform((text) =>
    text === null || text === undefined ? undefined : trimEndOf(text, "/"),
  ),
  other: longText(10_000, "附加信息过长"),
  models,
  group: groups,
  /**
   * The same as `group`, under the name that some consoles send; read only if `group` is absent.
   */
  groups: z.array(z.string()).max(channelListMax).nullish(),
  model_mapping: json(modelMapping, "模型映射必须是合法的 JSON 格式！"),
  status_code_mapping: json(statusCodeMapping, "状态码复写必须是合法的 JSON 格式！"),
  param_override: json(paramOverride, "参数覆盖必须是合法的 JSON 格式！"),
  setting: json(
    channelSetting,
    "渠道额外设置必须是合法的 JSON 格式！",
    (field) => `渠道额外设置中 ${field} 的值无效`,
  ),
  /** The tag by which channels are grouped in lists; empty and null: none. */
  tag: sentText(channelNameMax, `标签最多 ${channelNameMax} 个字符`),
  priority: sentWhole(-1_000_000, 1_000_000, "优先级必须是整数！"),
  /**
   * The share of the calls that the channel gets among channels of the same priority. A value below
   * 0 means 0.
   */
  weight: sentWhole(-1_000_000, 1_000_000, weightRule).transform((weight) =>
    weight === undefined ? undefined : Math.max(0, weight),
  ),
  auto_ban: sentFlag.transform((flag) => (flag === undefined ? undefined : Number(flag))),
  test_model: sentText(modelNameMax, "测试模型名称过长"),
  openai_organization: sentText(200, "组织名称过长"),
  /** When editing, 0 and 3 (disabled automatically) mean no change. */
  status: sentWhole(0, 3, "渠道状态无效"),
};

/** The channel type of Google Vertex AI, whose field `other` names the regions of its models. */
const vertexType = 41;

/** What can be wrong with the regions of a channel, and the server's message about it. */
export const regionFaults = {
  missing: "部署地区不能为空",
  noDefault: "部署地区必须包含default字段",
  malformed: "部署地区必须是一个地区，或者模型到地区的合法 JSON",
} as const;

/**
 * Checks the field `other` of a channel: one region, or JSON of regions by model with a `default`. A
 * channel with an address of its own needs none, because the region names the host.
 * @returns null if the regions are fine, or channels of this type have none.
 */
export function findRegionFault(
  type: number,
  { other, base_url }: { readonly other: string; readonly base_url: string },
): keyof typeof regionFaults | null {
  if (type !== vertexType) return null;
  const text = other.trim();
  if (text === "") return base_url.trim() === "" ? "missing" : null;
  if (!text.startsWith("{")) return region.test(text) ? null : "malformed";
  const regions = regionsText.safeParse(text);
  if (!regions.success) return "malformed";
  return regions.data["default"] === undefined ? "noDefault" : null;
}

const region = /^[a-z0-9-]+$/;

const regionsText = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: regionFaults.malformed });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), z.string().regex(region)));
