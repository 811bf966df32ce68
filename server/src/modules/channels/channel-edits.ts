/** Turns the channel fields and keys that a console sent into the columns that are stored. */

import {
  channelKeyMax,
  channelKeysMax,
  channelSetting,
  findRegionFault,
  regionFaults,
} from "@tollgate/contract/fields/channel-fields.ts";
import { readPastedKeys } from "@tollgate/contract/fields/channel-keys.ts";
import type { createChannel, updateChannel } from "@tollgate/contract/endpoints/channels.ts";
import { isPlain } from "@tollgate/contract/fields/fields.ts";
import { groupName } from "@tollgate/contract/endpoints/groups.ts";
import type { z } from "zod";
import { type AddressPolicy, judgeUrl } from "#base/address-policy.ts";
import { Refusal } from "#base/refusal.ts";
import { type Provider, wiresOf } from "#providers/provider.ts";
import { findProvider } from "#providers/registry.ts";
import { editedColumns, newColumns } from "./channel-columns.ts";
import type { ChannelRow, ChannelSet } from "./channels.repo.ts";

/** Parsed input of the endpoints that create or try a channel. */
export type SentChannel = Omit<
  z.output<(typeof createChannel)["input"]>,
  "copy_from" | "created_time"
>;
type SentEdit = z.output<(typeof updateChannel)["input"]>;

/** The channel statuses a console may set: in use, and disabled by hand. */
const enabled = 1;
const disabled = 2;

/**
 * Makes the row of a new channel from what was sent. @throws Refusal `invalid-input` that names the
 * missing field.
 */
export function newRow(sent: SentChannel, createdTime: number): Omit<ChannelRow, "id"> {
  const { name = "", models = "" } = sent;
  if (name === "") {
    throw new Refusal("invalid-input", "请填写渠道名称和渠道密钥！", { field: "name" });
  }
  if (models === "") {
    throw new Refusal("invalid-input", "请至少选择一个模型！", { field: "models" });
  }
  return {
    ...newColumns(sent),
    status: sent.status === disabled ? disabled : enabled,
    group: groupOf(sent) || "default",
    other_info: "",
    created_time: createdTime,
    test_time: 0,
    response_time: 0,
    test_error: "",
    balance: 0,
    balance_updated_time: 0,
  };
}

/**
 * Returns the channel's groups, separated by commas: `group`, or if it is empty the names in
 * `groups`; an empty text when neither has a name.
 */
function groupOf({ group, groups }: Pick<SentChannel, "group" | "groups">): string {
  if (group !== undefined && group !== "") return group;
  const names = [...new Set((groups ?? []).map((name) => name.trim()))].filter(
    (name) => name !== "",
  );
  for (const name of names) {
    const parsed = groupName.safeParse(name);
    if (!parsed.success) {
      throw new Refusal("invalid-input", parsed.error.issues[0]?.message ?? "分组无效", {
        field: "group",
      });
    }
  }
  return names.join(",");
}

/**
 * Refuses a new channel that is sent with an empty list of groups. One that is sent without any list
 * gets the default group.
 */
export function requireGroups(sent: Pick<SentChannel, "group" | "groups">): void {
  const isSent = sent.group !== undefined || (sent.groups ?? null) !== null;
  if (!isSent || groupOf(sent) !== "") return;
  throw new Refusal("invalid-input", "请至少选择一个分组！", { field: "group" });
}

/** Returns the columns an edit changes. A field that was not sent keeps its value. */
export function editedSet(present: ChannelRow, sent: SentEdit): ChannelSet {
  const status = sent.status === enabled || sent.status === disabled ? sent.status : undefined;
  const set: { [Column in keyof ChannelSet]?: ChannelSet[Column] | undefined } = {
    ...editedColumns(sent),
    group: groupOf(sent) || undefined,
    status,
    // Enabling a channel by hand clears the reason for which it was disabled.
    other_info: status === enabled && present.status !== enabled ? "" : undefined,
  };
  return definedOnly(set);
}

/** Returns a copy of `set` without the fields that are undefined. */
export function definedOnly(set: {
  [Column in keyof ChannelSet]?: ChannelSet[Column] | undefined;
}): ChannelSet {
  // The cast is sound: only undefined values are dropped, all others keep their types.
  return Object.fromEntries(
    Object.entries(set).filter(([, value]) => value !== undefined),
  ) as ChannelSet;
}

/**
 * Refuses a channel that the relay could not use: its type is unknown, its base URL is missing or
 * points to a forbidden network, its region is missing, or its provider does not speak the chosen
 * wire format.
 */
export function checkChannel(
  { type, base_url, other, setting }: Pick<ChannelRow, "base_url" | "other" | "setting" | "type">,
  policy: AddressPolicy,
): void {
  if (type === 0) throw new Refusal("invalid-input", "请选择渠道类型！", { field: "type" });
  const provider = findProvider(type);
  if (provider === undefined) {
    throw new Refusal("invalid-input", `不支持的渠道类型：${type}`, { field: "type" });
  }
  checkBaseUrl(base_url, provider, policy);
  const fault = findRegionFault(type, { other, base_url });
  if (fault !== null) {
    throw new Refusal("invalid-input", regionFaults[fault], { field: "other" });
  }
  const { wire } = setting === "" ? {} : channelSetting.parse(JSON.parse(setting));
  if (wire !== undefined && !wiresOf(provider).includes(wire)) {
    throw new Refusal("invalid-input", `该渠道类型不支持格式 ${wire}`, { field: "setting" });
  }
}

const urlRules = {
  address: "API 地址指向不允许访问的网络",
  malformed: "API 地址不是合法的地址",
  query: "API 地址不能含有查询参数；请只填写到接口路径之前，版本填写在对应的字段中",
  scheme: "API 地址必须以 http:// 或 https:// 开头",
  userinfo: "API 地址不能包含用户名或密码",
} as const;

/**
 * Checks the address of a channel's upstream; empty means the provider's own.
 *
 * @throws Refusal `invalid-input` if it is malformed, points to a forbidden network, or is missing
 * although the provider has none.
 */
export function checkBaseUrl(
  baseUrl: string,
  provider: Pick<Provider, "baseUrl" | "formats">,
  policy: AddressPolicy,
): void {
  if (baseUrl === "") {
    if (provider.baseUrl !== null) return;
    throw new Refusal("invalid-input", "该渠道类型必须填写 API 地址", { field: "base_url" });
  }
  const judged = judgeUrl(baseUrl, policy);
  if (!judged.ok) {
    throw new Refusal("invalid-input", urlRules[judged.reason], { field: "base_url" });
  }
  // Paths are written behind the address, so a query would stand in front of them.
  if (baseUrl.includes("?") && !isComplete(provider)) {
    throw new Refusal("invalid-input", urlRules.query, { field: "base_url" });
  }
}

/** Whether the address of a channel is that of its calls, behind which nothing is written. */
function isComplete({ formats }: Pick<Provider, "formats">): boolean {
  return Object.values(formats).some(({ paths }) => paths.chat === "");
}

/**
 * Returns the channel keys that were sent, trimmed and without duplicates: the entries of `keys`,
 * or else the keys in the text `key`. The result is empty when no key was sent.
 * @throws Refusal `invalid-input` for too many, too long or malformed keys, and for JSON without the
 *   fields that the provider of the channel's type needs.
 */
export function sentKeys(
  { key = "", keys }: Pick<SentChannel, "key" | "keys">,
  type: number,
): string[] {
  const given = keys !== null && keys !== undefined && keys.length > 0 ? keys : textsOf(key);
  const found = [...new Set(given.map((one) => one.trim()))].filter((one) => one !== "");
  if (found.length > channelKeysMax) {
    throw new Refusal("invalid-input", `一次最多 ${channelKeysMax} 个密钥`, { field: "key" });
  }
  const provider = findProvider(type);
  for (const one of found) {
    checkPasted(one);
    const missing = provider?.missingIn?.(one) ?? "";
    if (missing === "") continue;
    throw new Refusal("invalid-input", `JSON 密钥缺少字段 ${missing}`, { field: "key" });
  }
  if (found.some((one) => one.length > channelKeyMax || !(isPlain(one) || isDocument(one)))) {
    throw new Refusal("invalid-input", "渠道密钥过长或含有控制字符", { field: "key" });
  }
  return found;
}

/** Refuses what was copied together with a key, and what nobody sees in it. */
function checkPasted(key: string): void {
  if (isDocument(key)) return;
  const fault = pastedFaults.find(({ form }) => form.test(key));
  if (fault !== undefined) throw new Refusal("invalid-input", fault.message, { field: "key" });
}

const pastedFaults = [
  {
    form: /^(?:authorization\s*:|bearer\s)/i,
    message: "密钥前不要带 Authorization 或 Bearer，只填写密钥本身",
  },
  {
    form: /^[\x22\x27\x60\u2018\u2019\u201c\u201d\u300c\u300d]|[\x22\x27\x60\u2018\u2019\u201c\u201d\u300c\u300d]$/,
    message: "密钥两端有引号，请去掉",
  },
  {
    form: /[\p{Cf}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0]/u,
    message: "密钥中含有看不见的字符，请重新复制",
  },
] as const;

function textsOf(text: string): string[] {
  const { keys, broken } = readPastedKeys(text);
  if (broken.length > 0) {
    const message = `第 ${broken.join(", ")} 行的 JSON 密钥不完整或不合法`;
    throw new Refusal("invalid-input", message, { field: "key" });
  }
  return keys.map((one) => one.text);
}

/** Whether a key is one JSON document, which may have line breaks. */
function isDocument(key: string): boolean {
  const { keys, broken } = readPastedKeys(key);
  return keys.length === 1 && broken.length === 0 && keys[0]?.isJson === true;
}
