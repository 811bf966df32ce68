/**
 * The controls of the channel sheet that edit the channel's `setting`, and how they become its JSON.
 */

import {
  channelFields,
  channelSetting,
  type ChannelSetting,
  systemPromptMax,
  type timeLimitsDefault,
  unknownSettings,
} from "@tollgate/contract/fields/channel-fields.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";

export type SettingFields = {
  /** The format for calls of the upstream; empty: the client's own, if the provider supports it. */
  readonly wire: string;
  readonly system_prompt: string;
  readonly force_format: boolean;
  readonly thinking_to_content: boolean;
  /** `provider`: the field that the provider wants, if it wants any. */
  readonly reasoning_field: "none" | "provider" | "reasoning" | "reasoning_content";
  /** Empty: none of its own. It may contain a password. */
  readonly proxy: string;
  /** JSON text: a header's name to its value. It may contain secrets. */
  readonly header_override: string;
  readonly usage_trust: "limit" | "visible";
  readonly shares_ids: boolean;
  readonly stream_results: boolean;
  /** `usual`: as the model or the group says. */
  readonly conversations: "off" | "on" | "usual";
  readonly cache_marks: boolean;
  /** The most that each key is asked; null: any. */
  readonly key_calls: number | null;
  readonly key_requests: number | null;
  readonly key_tokens: number | null;
  /** JSON text of the settings that have no control of their own, which are those unknown here. */
  readonly other_settings: string;
} & TimeLimitFields;

/** Time limits in milliseconds; null: the default applies. */
type TimeLimitFields = { readonly [Name in keyof typeof timeLimitsDefault]: number | null };

export const timeLimitNames = ["connectMs", "firstByteMs", "betweenChunksMs", "totalMs"] as const;

const flagNames = [
  "cache_marks",
  "force_format",
  "thinking_to_content",
  "shares_ids",
  "stream_results",
] as const;

export const emptySetting: SettingFields = {
  wire: "",
  system_prompt: "",
  force_format: false,
  thinking_to_content: false,
  reasoning_field: "provider",
  proxy: "",
  header_override: "",
  usage_trust: "limit",
  shares_ids: false,
  stream_results: false,
  conversations: "usual",
  cache_marks: false,
  key_calls: null,
  key_requests: null,
  key_tokens: null,
  other_settings: "",
  connectMs: null,
  firstByteMs: null,
  betweenChunksMs: null,
  totalMs: null,
};

/** The limits of a key, by the names of their controls; in the setting they stand in `key_limits`. */
export const keyLimitNames = ["key_calls", "key_requests", "key_tokens"] as const;

/** The names of the controls, each also the name of a setting but the limits and `other_settings`. */
const settingNames = Object.keys(emptySetting) as readonly (keyof SettingFields)[];

const controlled: readonly string[] = [
  ...settingNames.filter((name) => name !== "other_settings" && !name.startsWith("key_")),
  "key_limits",
];

/** Fills the controls with the values of a stored `setting`. */
export function settingFieldsOf(text: string): SettingFields {
  const setting = readSetting(text);
  const others = Object.entries(setting).filter(([name]) => !controlled.includes(name));
  return {
    wire: setting.wire ?? "",
    system_prompt: setting.system_prompt ?? "",
    force_format: setting.force_format ?? false,
    thinking_to_content: setting.thinking_to_content ?? false,
    reasoning_field: setting.reasoning_field ?? "provider",
    proxy: setting.proxy ?? "",
    header_override: showObject(setting.header_override ?? {}),
    usage_trust: setting.usage_trust ?? "limit",
    shares_ids: setting.shares_ids ?? false,
    stream_results: setting.stream_results ?? false,
    conversations: setting.conversations ?? "usual",
    cache_marks: setting.cache_marks ?? false,
    key_calls: setting.key_limits?.calls ?? null,
    key_requests: setting.key_limits?.requests ?? null,
    key_tokens: setting.key_limits?.tokens ?? null,
    other_settings: showObject(Object.fromEntries(others)),
    connectMs: setting.connectMs ?? null,
    firstByteMs: setting.firstByteMs ?? null,
    betweenChunksMs: setting.betweenChunksMs ?? null,
    totalMs: setting.totalMs ?? null,
  };
}

function readSetting(text: string): ChannelSetting {
  try {
    return channelSetting.safeParse(JSON.parse(text || "{}")).data ?? {};
  } catch {
    return {};
  }
}

function showObject(object: object): string {
  return Object.keys(object).length === 0 ? "" : JSON.stringify(object, null, 2);
}

/**
 * Returns the channel's `setting` as JSON text: `other_settings`, then the values of the controls.
 * If `other_settings` is not a JSON object it is sent unchanged, so that the contract reports the
 * mistake.
 */
export function settingOf(fields: SettingFields): string {
  const others = readObject(fields.other_settings);
  if (others === undefined) return fields.other_settings;
  const setting: Record<string, unknown> = { ...others };
  for (const name of ["wire", "system_prompt", "proxy"] as const) {
    const text = fields[name].trim();
    if (text !== "") setting[name] = text;
  }
  const headers = readObject(fields.header_override) ?? {};
  if (Object.keys(headers).length > 0) setting["header_override"] = headers;
  const { reasoning_field } = fields;
  if (reasoning_field !== "provider") setting["reasoning_field"] = reasoning_field;
  if (fields.usage_trust !== "limit") setting["usage_trust"] = fields.usage_trust;
  if (fields.conversations !== "usual") setting["conversations"] = fields.conversations;
  const limits = keyLimitNames
    .map((name) => [name.slice("key_".length), fields[name] ?? 0] as const)
    .filter(([, limit]) => limit !== 0);
  if (limits.length > 0) setting["key_limits"] = Object.fromEntries(limits);
  for (const name of flagNames) {
    if (fields[name]) setting[name] = true;
  }
  for (const name of timeLimitNames) {
    const limit = fields[name];
    if (limit !== null) setting[name] = limit;
  }
  return Object.keys(setting).length === 0 ? "" : JSON.stringify(setting);
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text.trim() || "{}")).data;
  } catch {
    return undefined;
  }
}

type Problem = readonly [name: keyof SettingFields, message: string];

export function settingProblems(fields: SettingFields, t: T): Problem[] {
  const { shape } = channelSetting;
  const doubled = controlled.filter((name) => name in (readObject(fields.other_settings) ?? {}));
  const names = doubled.join(", ");
  const isKnown = channelFields.setting.safeParse(fields.other_settings).success;
  const headers = readObject(fields.header_override);
  const problems: readonly (Problem | false)[] = [
    !isKnown && ["other_settings", t("channels.otherSettingsInvalid")],
    doubled.length > 0 && ["other_settings", t("channels.otherSettingsControlled", { names })],
    !shape.proxy.safeParse(fields.proxy.trim()).success && ["proxy", t("channels.proxyInvalid")],
    (headers === undefined || !shape.header_override.safeParse(headers).success) && [
      "header_override",
      t("channels.headersInvalid"),
    ],
    !shape.system_prompt.safeParse(fields.system_prompt).success && [
      "system_prompt",
      t("channels.systemPromptLong", { max: systemPromptMax }),
    ],
    ...keyLimitNames.map(
      (name): Problem | false =>
        !shape.key_limits.safeParse({ calls: fields[name] ?? 0 }).success && [
          name,
          t("channels.keyLimitInvalid"),
        ],
    ),
    ...timeLimitNames.map(
      (name): Problem | false =>
        !shape[name].safeParse(fields[name] ?? undefined).success && [
          name,
          t("channels.timeLimitInvalid"),
        ],
    ),
  ];
  return problems.filter((problem) => problem !== false);
}

/** Says which settings have no effect. An invalid text gets no note, because its error is shown. */
export function settingNotes(text: string, t: T): string[] {
  if (!channelFields.setting.safeParse(text).success) return [];
  const names = unknownSettings(text.trim()).join(", ");
  return names === "" ? [] : [t("channels.settingUnknown", { names })];
}
