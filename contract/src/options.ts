/**
 * Every option root can change while the server runs: its type, its default and the text the
 * settings screen shows. Keys are the specification's. Server and web console read this one
 * table, so a new option is one entry here plus the line that uses it. Sorted; a key is never
 * reused for another meaning.
 *
 * `/api/option/` carries every value as text (`true`, `5`, JSON); here it has its own type, and
 * `parseOption` and `showOption` lead from one to the other. The keys of a price list are views
 * of the price version in force and are stored nowhere else.
 */

import { z } from "zod";
import { decimalText, type PriceList } from "./charge.ts";
import { defaultPriceList } from "./default-prices.ts";
import { endpoint } from "./endpoint.ts";
import {
  decimalsOption,
  groupDecimalsOption,
  groupTextsOption,
  imageOption,
  quotaOption,
  serverOption,
  wholeOption,
} from "./option-schemas.ts";
import { type OptionKind, readOptionText, showOptionText } from "./option-text.ts";
import type { Parsed } from "./prices.ts";

export type OptionDefinition<Schema extends z.ZodType = z.ZodType> = {
  readonly kind: OptionKind;
  /** Of the value once its text is read; says what is in range. */
  readonly schema: Schema;
  readonly defaultValue: z.infer<Schema>;
  /** Which tab of the settings screen shows it. */
  readonly section: "operation" | "system" | "other";
  readonly label: string;
  /** One sentence: what changes when it changes, with the unit. */
  readonly help: string;
  /** True: the API accepts a new value but never returns the present one. */
  readonly secret: boolean;
};

/** Longest value as text, in characters: a price list of thousands of models. */
export const optionTextMax = 400_000;

const defaults = { section: "operation", secret: false } as const;
const flag = { ...defaults, kind: "flag", schema: z.boolean() } as const;
const ratios = { ...defaults, kind: "decimalMap", schema: decimalsOption } as const;

export const options = {
  AudioCompletionRatio: define({
    ...ratios,
    defaultValue: defaultPriceList.AudioCompletionRatio,
    label: "Audio output ratio",
    help: "Price of an output audio token against an input audio token, by model; absent: 2.",
  }),
  AudioRatio: define({
    ...ratios,
    defaultValue: defaultPriceList.AudioRatio,
    label: "Audio input ratio",
    help: "Price of an input audio token against an input token, by model; absent: 20.",
  }),
  AutomaticDisableChannelEnabled: define({
    ...flag,
    defaultValue: false,
    label: "Disable failing channels",
    help: "Whether a channel that fails in a way of its own is disabled automatically.",
  }),
  AutomaticDisableKeywords: define({
    ...defaults,
    kind: "lines",
    schema: z.array(z.string().max(200)).max(100),
    defaultValue: [
      "credit balance is too low",
      "organization has been disabled",
      "exceeded your current quota",
      "permission denied",
      "security token included in the request is invalid",
      "operation not allowed",
      "account is not authorized",
    ],
    label: "Keywords that disable a channel",
    help: "An upstream error that contains one of these texts, in any letter case, disables it.",
  }),
  AutomaticEnableChannelEnabled: define({
    ...flag,
    defaultValue: false,
    label: "Enable recovered channels",
    help: "Whether a successful test enables a channel that was disabled automatically.",
  }),
  CacheRatio: define({
    ...ratios,
    defaultValue: defaultPriceList.CacheRatio,
    label: "Cached input ratio",
    help: "Price of a cached input token against an input token, by model; absent: 1.",
  }),
  ChannelDisableThreshold: define({
    ...defaults,
    kind: "number",
    schema: z.number().min(0).max(3_600),
    defaultValue: 5,
    label: "Longest test of a channel",
    help: "Seconds a channel's test may take before it counts as failing; 0: any.",
  }),
  CompletionRatio: define({
    ...ratios,
    defaultValue: defaultPriceList.CompletionRatio,
    label: "Output ratio",
    help: "Price of an output token against an input token, by model; absent: 1.",
  }),
  ConsoleRequestsPerMinute: define({
    ...defaults,
    kind: "number",
    schema: wholeOption(0, 100_000),
    defaultValue: 180,
    section: "system",
    label: "Console requests a minute",
    help: "Calls of the console API one session may make in a minute; 0: any number.",
  }),
  CreateCacheRatio: define({
    ...ratios,
    defaultValue: defaultPriceList.CreateCacheRatio,
    label: "Cache write ratio, 5 minutes",
    help: "Price of a token kept 5 minutes against an input token, by model; absent: 1.25.",
  }),
  CreateCacheRatio1h: define({
    ...ratios,
    defaultValue: defaultPriceList.CreateCacheRatio1h,
    label: "Cache write ratio, 1 hour",
    help: "Price of a token kept an hour against an input token, by model; absent: 2.",
  }),
  DemoSiteEnabled: define({
    ...flag,
    defaultValue: false,
    label: "Demonstration site",
    help: "Whether the console says that this installation is for trying out.",
  }),
  DisplayInCurrencyEnabled: define({
    ...flag,
    defaultValue: true,
    label: "Show quota as money",
    help: "Whether screens show quota as US dollars instead of quota units.",
  }),
  Footer: define({
    ...defaults,
    kind: "text",
    schema: z.string().max(10_000),
    defaultValue: "",
    section: "other",
    label: "Footer",
    help: "HTML shown at the foot of every page, made harmless first; empty: ours.",
  }),
  GroupRatio: define({
    ...defaults,
    kind: "decimalMap",
    schema: groupDecimalsOption,
    defaultValue: defaultPriceList.GroupRatio,
    label: "Group ratio",
    help: "What prices are multiplied by, by group; a group exists by standing here.",
  }),
  ImageRatio: define({
    ...ratios,
    defaultValue: defaultPriceList.ImageRatio,
    label: "Image input ratio",
    help: "Price of an input image token against an input token, by model; absent: 1.",
  }),
  Logo: define({
    ...defaults,
    kind: "text",
    schema: imageOption,
    defaultValue: "",
    section: "other",
    label: "Logo",
    help: "Address of an image shown beside the system's name; empty: ours.",
  }),
  ModelPrice: define({
    ...ratios,
    defaultValue: defaultPriceList.ModelPrice,
    label: "Price a call",
    help: "US dollars a call costs whatever it uses, by model; wins over the ratios.",
  }),
  ModelRatio: define({
    ...ratios,
    defaultValue: defaultPriceList.ModelRatio,
    label: "Model ratio",
    help: "Price of an input token by model; 1 is 2 US dollars a million.",
  }),
  ModelRequestRateLimitCount: define({
    ...defaults,
    kind: "number",
    schema: wholeOption(0, 1_000_000),
    defaultValue: 0,
    label: "Calls a period",
    help: "Calls one user may make in a period, failed ones included; 0: any number.",
  }),
  ModelRequestRateLimitDurationMinutes: define({
    ...defaults,
    kind: "number",
    schema: wholeOption(1, 1_440),
    defaultValue: 1,
    label: "Period of the call limit",
    help: "Minutes over which the calls of a user are counted.",
  }),
  ModelRequestRateLimitEnabled: define({
    ...flag,
    defaultValue: false,
    label: "Limit calls",
    help: "Whether the number of calls a user makes in a period is limited.",
  }),
  PasswordLoginEnabled: define({
    ...flag,
    defaultValue: true,
    section: "system",
    label: "Sign-in by password",
    help: "Whether a name and password sign in.",
  }),
  QuotaForNewUser: define({
    ...defaults,
    kind: "number",
    schema: quotaOption,
    defaultValue: 0,
    label: "Quota for new users",
    help: "Quota units credited when an account is created.",
  }),
  QuotaPerCallMax: define({
    ...defaults,
    kind: "number",
    schema: quotaOption,
    defaultValue: 0,
    label: "Most a call may cost",
    help: "Quota units; a call that could cost more is refused; 0: no limit.",
  }),
  QuotaPerUnit: define({
    ...defaults,
    kind: "decimal",
    schema: decimalText.refine((text) => /[1-9]/.test(text), "必须大于 0"),
    defaultValue: defaultPriceList.QuotaPerUnit,
    label: "Quota units a dollar",
    help: "What one US dollar is in quota units, for prices a call and for what screens show.",
  }),
  RelayBodyMegabytesMax: define({
    ...defaults,
    kind: "number",
    schema: wholeOption(1, 128),
    defaultValue: 10,
    label: "Largest call",
    help: "Megabytes the body of a call may have.",
  }),
  RetryTimes: define({
    ...defaults,
    kind: "number",
    schema: wholeOption(0, 10),
    defaultValue: 2,
    label: "Retries per call",
    help: "How many further channels one call may try before it fails.",
  }),
  SelfUseModeEnabled: define({
    ...flag,
    defaultValue: false,
    label: "Personal use",
    help: "Whether everything about payment is hidden.",
  }),
  ServerAddress: define({
    ...defaults,
    kind: "text",
    schema: serverOption,
    defaultValue: "",
    section: "system",
    label: "Server address",
    help: "Public address of this server, in links that leave it; empty: not known.",
  }),
  SystemName: define({
    ...defaults,
    kind: "text",
    schema: z.string().trim().min(1, "系统名称不能为空").max(100),
    defaultValue: "Tollgate",
    section: "other",
    label: "System name",
    help: "The name shown in the title and in messages.",
  }),
  UserUsableGroups: define({
    ...defaults,
    kind: "textMap",
    schema: groupTextsOption,
    defaultValue: { default: "默认分组", vip: "vip分组" },
    label: "Groups users may choose",
    help: "Group → description; besides these every user may use the own group.",
  }),
} as const satisfies Record<string, OptionDefinition>;

export type OptionName = keyof typeof options;
export type OptionValue<Name extends OptionName> = z.infer<(typeof options)[Name]["schema"]>;

/** Options that are views of the price version in force. */
export type PriceOptionName = keyof PriceList;
/** Options with a row of their own once they were changed. */
export type StoredOptionName = Exclude<OptionName, PriceOptionName>;

export function isOptionName(key: string): key is OptionName {
  return Object.hasOwn(options, key);
}

export function isPriceOption(name: OptionName): name is PriceOptionName {
  return Object.hasOwn(defaultPriceList, name);
}

/** A value of any option as the API carries it: pages send flags and numbers as such too. */
export type SentOption = string | number | boolean;

/** The value of an option from what the API carries; a message that names it when it is none. */
export function parseOption<Name extends OptionName>(
  name: Name,
  sent: SentOption,
): Parsed<OptionValue<Name>> {
  const { kind, schema }: OptionDefinition = options[name];
  const read = readOptionText(kind, String(sent));
  if (!read.ok) return { ok: false, message: `${name}：${read.message}` };
  const parsed = schema.safeParse(read.value);
  if (!parsed.success) {
    return { ok: false, message: `${name}：${parsed.error.issues[0]?.message ?? "无效的参数"}` };
  }
  // `schema` is that of `options[name]`, whose output is what OptionValue<Name> says.
  return { ok: true, value: parsed.data as OptionValue<Name> };
}

/** The text the API carries for a value. */
export function showOption<Name extends OptionName>(name: Name, value: OptionValue<Name>): string {
  return showOptionText(options[name].kind, value);
}

const listedOption = z.object({ key: z.string(), value: z.string() });
export type ListedOption = z.infer<typeof listedOption>;

/** Every option but the secret ones, sorted by key. */
export const listOptions = endpoint({
  method: "GET",
  path: "/api/option/",
  access: "root",
  input: z.object({}),
  output: z.array(listedOption),
});

/**
 * Changes one option, in force when the answer arrives. Refused: unknown keys and values out of
 * range. An empty value of a secret one leaves it.
 */
export const updateOption = endpoint({
  method: "PUT",
  path: "/api/option/",
  access: "root",
  input: z.object({
    key: z.string().min(1).max(100),
    value: z.union([z.string().max(optionTextMax), z.number(), z.boolean()]),
  }),
  output: z.void(),
});

/** Puts the default model ratios in force. The path is the specification's. */
export const resetModelRatio = endpoint({
  method: "POST",
  path: "/api/option/rest_model_ratio",
  access: "root",
  input: z.object({}),
  output: z.void(),
});

/** Checks that the default fits the schema's type; does nothing at run time. */
function define<Schema extends z.ZodType>(definition: OptionDefinition<Schema>) {
  return definition;
}
