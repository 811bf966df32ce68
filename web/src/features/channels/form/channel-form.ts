/**
 * The form of the channel sheet: the values of its controls, and how these become the input of the
 * API. The contract decides what is valid; this file gives the messages in the user's language,
 * each at its field.
 */

import {
  channelFields,
  channelKeysMax,
  findRegionFault,
} from "@tollgate/contract/fields/channel-fields.ts";
import { readPastedKeys } from "@tollgate/contract/fields/channel-keys.ts";
import {
  type Channel,
  createChannel,
  type listChannelTypes,
} from "@tollgate/contract/endpoints/channels.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { listOf } from "#features/channels/channel-rows.ts";
import {
  emptySetting,
  type SettingFields,
  settingFieldsOf,
  settingOf,
  settingProblems,
} from "./channel-setting.ts";

export type ChannelType = z.output<(typeof listChannelTypes)["output"]>[number];

/**
 * What several typed keys become: "channels": one channel for each key; "keys": one channel with
 * all of them.
 */
type KeyUse = "channels" | "keys";

export type ChannelForm = {
  /** The channel type; 0: none is chosen. */
  readonly type: number;
  readonly name: string;
  /**
   * The typed keys, one per line. Empty in the form of an existing channel: its keys do not change.
   */
  readonly key: string;
  readonly keyUse: KeyUse;
  readonly base_url: string;
  readonly other: string;
  readonly openai_organization: string;
  readonly models: readonly string[];
  readonly groups: readonly string[];
  readonly test_model: string;
  readonly model_mapping: string;
  readonly tag: string;
  readonly priority: number | null;
  readonly weight: number | null;
  readonly auto_ban: boolean;
  readonly status_code_mapping: string;
  readonly param_override: string;
} & SettingFields;

export const emptyForm: ChannelForm = {
  type: 0,
  name: "",
  key: "",
  keyUse: "channels",
  base_url: "",
  other: "",
  openai_organization: "",
  models: [],
  groups: ["default"],
  test_model: "",
  model_mapping: "",
  tag: "",
  priority: 0,
  weight: 0,
  auto_ban: true,
  status_code_mapping: "",
  param_override: "",
  ...emptySetting,
};

/**
 * Fills the form with the values of an existing channel. The key stays empty, because the server
 * does not tell it.
 */
export function formOf(channel: Channel): ChannelForm {
  return {
    ...emptyForm,
    type: channel.type,
    name: channel.name,
    keyUse: "keys",
    base_url: channel.base_url,
    other: channel.other,
    openai_organization: channel.openai_organization,
    models: listOf(channel.models),
    groups: listOf(channel.group),
    test_model: channel.test_model,
    model_mapping: channel.model_mapping,
    tag: channel.tag ?? "",
    priority: channel.priority,
    weight: channel.weight,
    auto_ban: channel.auto_ban === 1,
    status_code_mapping: channel.status_code_mapping,
    param_override: channel.param_override,
    ...settingFieldsOf(channel.setting),
  };
}

/** The input that creating and updating a channel have in common. */
export type SentChannel = Omit<z.input<(typeof createChannel)["input"]>, "copy_from" | "id">;

/** Returns the form's values as they are sent, without validation. */
export function sentOf(form: ChannelForm): SentChannel {
  const keys = readPastedKeys(form.key).keys.map(({ text }) => text);
  const isOne = form.keyUse === "keys" && keys.length > 1;
  return {
    type: form.type,
    name: form.name.trim(),
    ...(isOne ? { keys: [...keys] } : { key: keys.join("\n") }),
    base_url: form.base_url.trim(),
    other: form.other.trim(),
    openai_organization: form.openai_organization.trim(),
    models: form.models.join(","),
    group: form.groups.join(","),
    test_model: form.test_model.trim(),
    model_mapping: form.model_mapping,
    tag: form.tag.trim(),
    priority: form.priority ?? 0,
    weight: form.weight ?? 0,
    auto_ban: form.auto_ban,
    status_code_mapping: form.status_code_mapping,
    param_override: form.param_override,
    setting: settingOf(form),
  };
}

type FormFacts = {
  readonly t: T;
  readonly types: readonly ChannelType[];
  /**
   * Whether the form creates a channel: then a key is required. An existing channel keeps its keys
   * if none is typed.
   */
  readonly isNew: boolean;
};

/**
 * Makes the schema of the sheet: it validates the controls' values and turns them into the API's
 * input.
 */
export function channelFormSchema(facts: FormFacts): z.ZodType<SentChannel> {
  return z.custom<ChannelForm>().transform((form, context) => {
    for (const [name, message] of problemsOf(form, facts)) {
      context.addIssue({ code: "custom", path: [name], message });
    }
    return sentOf(form);
  });
}

const regionTexts = {
  missing: "channels.regionMissing",
  noDefault: "channels.regionNoDefault",
  malformed: "channels.regionMalformed",
} as const;

type Problem = readonly [name: keyof ChannelForm, message: string];

function problemsOf(form: ChannelForm, { t, types, isNew }: FormFacts): Problem[] {
  const problems: Problem[] = [];
  const need = (name: keyof ChannelForm, isFine: boolean, message: string): void => {
    if (!isFine) problems.push([name, message]);
  };
  const type = types.find((one) => one.type === form.type);
  const { keys, broken } = readPastedKeys(form.key);
  const baseUrl = form.base_url.trim();
  need("type", form.type !== 0, t("channels.typeRequired"));
  need("name", form.name.trim() !== "", t("channels.nameAndKeyRequired"));
  const lines = broken.join(", ");
  need("key", broken.length === 0, t("channels.keysBroken", { lines }));
  need("key", keys.length + broken.length > 0 || !isNew, t("channels.nameAndKeyRequired"));
  need("key", keys.length <= channelKeysMax, t("channels.keysTooMany", { max: channelKeysMax }));
  need("base_url", baseUrl !== "" || type?.base_url !== null, t("channels.baseUrlRequired"));
  need("base_url", baseUrl === "" || isWebAddress(baseUrl), t("channels.baseUrlInvalid"));
  const region = findRegionFault(form.type, form);
  if (region !== null) problems.push(["other", t(regionTexts[region])]);
  need("models", form.models.length > 0, t("channels.modelsRequired"));
  need("groups", form.groups.length > 0, t("channels.groupsRequired"));
  need("model_mapping", isFine("model_mapping", form), t("channels.mappingInvalid"));
  need(
    "status_code_mapping",
    isFine("status_code_mapping", form),
    t("channels.statusCodesInvalid"),
  );
  need("param_override", isFine("param_override", form), t("channels.overrideInvalid"));
  need("priority", isFine("priority", form), t("channels.priorityInvalid"));
  need("weight", isFine("weight", form), t("channels.weightInvalid"));
  return [...problems, ...settingProblems(form, t), ...otherProblems(form, problems, t)];
}

/** Whether the contract accepts this field's value. */
function isFine(name: keyof ChannelForm & keyof typeof channelFields, form: ChannelForm): boolean {
  return channelFields[name].safeParse(form[name]).success;
}

/**
 * Finds the problems that only the contract reports, such as texts that are too long or contain
 * control characters.
 */
function otherProblems(form: ChannelForm, known: readonly Problem[], t: T): Problem[] {
  const parsed = createChannel.input.safeParse(sentOf(form));
  const names = (parsed.error?.issues ?? []).map(({ path }) => formName(String(path[0])));
  return names.flatMap((name): Problem[] =>
    name === undefined || known.some(([taken]) => taken === name)
      ? []
      : [[name, t("channels.fieldInvalid")]],
  );
}

/** Returns the form field that holds the given field of the API's input. */
function formName(field: string): keyof ChannelForm | undefined {
  if (field === "group") return "groups";
  if (field === "keys") return "key";
  // Safe cast: `in` has checked the name.
  return field in emptyForm ? (field as keyof ChannelForm) : undefined;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/**
 * Reads the model mapping that is typed in the form; an invalid text counts as an empty mapping.
 */
export function readMapping(text: string): Readonly<Record<string, string>> {
  try {
    return z.record(z.string(), z.string()).safeParse(JSON.parse(text || "{}")).data ?? {};
  } catch {
    return {};
  }
}

/**
 * Whether two versions of a channel agree in all values that the sheet shows. If not, saving would
 * overwrite somebody else's change.
 */
export function isSameRecord(one: Channel, other: Channel): boolean {
  return JSON.stringify(formOf(one)) === JSON.stringify(formOf(other));
}

const copyEnding = "_复制";

/**
 * Makes the input that copies a channel: its values under another name. The server copies the keys.
 */
export function copyOf(channel: Channel): z.input<(typeof createChannel)["input"]> {
  const name = channel.name.slice(0, nameMax - copyEnding.length) + copyEnding;
  const { setting, status } = channel;
  const { key: _, keys: _keys, ...values } = sentOf(formOf(channel));
  return { ...values, setting, status, name, copy_from: channel.id };
}

/** The longest name of a channel, in characters, as in the contract. */
const nameMax = 100;
