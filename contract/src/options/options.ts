/**
 * Every option root can change while the server runs. A new option is an entry in a section of
 * `options-*.ts`, the line that reads it, and its texts in the two catalogues of the console:
 * `settings.<Name>` and `settings.<Name>Help`. Names are those of one-api's options; a name is
 * never reused for another meaning.
 *
 * `/api/option/` carries every value as text (`true`, `5`, JSON); here each value has a type of its
 * own, and `parseOption` and `showOption` convert between the two. The keys of a price list are
 * views of the price version in force and are stored nowhere else.
 */

import { z } from "zod";
import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { allFields, type Field, parseField, showField } from "@tollgate/contract/kinds/kinds.ts";
import * as accounts from "./options-accounts.ts";
import * as operation from "./options-operation.ts";
import * as system from "./options-system.ts";
import type { Parsed } from "@tollgate/contract/endpoints/prices.ts";
import { botCheckToken } from "@tollgate/contract/endpoints/sign-in.ts";
import { signInMethods } from "@tollgate/contract/kinds/sign-in-methods.ts";

/**
 * The longest value of an option as text, in characters; enough for a price list of thousands of
 * models.
 */
export const optionTextMax = 400_000;

const declared = {
  ...allFields(signInMethods),
  ...accounts.botCheckOptions,
  ...accounts.mailOptions,
  ...accounts.registrationOptions,
  ...accounts.signInOptions,
  ...operation.dataExportOptions,
  ...operation.drawingOptions,
  ...operation.generalOptions,
  ...operation.logOptions,
  ...operation.monitoringOptions,
  ...operation.priceOptions,
  ...operation.quotaOptions,
  ...operation.rateLimitOptions,
  ...operation.relayOptions,
  ...operation.sensitiveWordOptions,
  ...system.agentOptions,
  ...system.chatOptions,
  ...system.claudeOptions,
  ...system.contentOptions,
  ...system.geminiOptions,
  ...system.passThroughOptions,
  ...system.paymentOptions,
  ...system.serverOptions,
  ...system.unlistedOptions,
  ...system.workerOptions,
} as const satisfies Record<string, Field>;

/** All options by their names, sorted. */
export const options = Object.fromEntries(
  Object.entries(declared).toSorted(([a], [b]) => (a < b ? -1 : 1)),
) as typeof declared;

export type OptionName = keyof typeof options;
export type OptionValue<Name extends OptionName> = z.infer<(typeof options)[Name]["schema"]>;

/** Options whose values are parts of the current price version. */
export type PriceOptionName = Exclude<keyof PriceList, "Sources">;
/** Options that get a database row of their own once they have been changed. */
export type StoredOptionName = Exclude<OptionName, PriceOptionName>;

export function isOptionName(key: string): key is OptionName {
  return Object.hasOwn(options, key);
}

export function isPriceOption(name: OptionName): name is PriceOptionName {
  return Object.hasOwn(defaultPriceList, name);
}

/** The settings screen from top to bottom. Options that are in no section are not shown. */
export const optionSections = [
  section("operation", "general", operation.generalOptions),
  section("operation", "quota", operation.quotaOptions),
  section("operation", "monitoring", operation.monitoringOptions),
  section("operation", "sensitiveWords", operation.sensitiveWordOptions),
  section("operation", "dataExport", operation.dataExportOptions),
  section("operation", "drawing", operation.drawingOptions),
  section("operation", "log", operation.logOptions),
  section("operation", "relay", operation.relayOptions),
  section("operation", "rateLimit", operation.rateLimitOptions),
  section("operation", "prices", operation.priceOptions),
  section("operation", "claude", system.claudeOptions),
  section("operation", "gemini", system.geminiOptions),
  section("operation", "passThrough", system.passThroughOptions),
  section("system", "server", system.serverOptions),
  section("system", "worker", system.workerOptions),
  section("system", "payment", system.paymentOptions),
  section("system", "agents", system.agentOptions),
  section("system", "signIn", accounts.signInOptions),
  section("system", "registration", accounts.registrationOptions),
  section("system", "mail", accounts.mailOptions),
  ...Object.values(signInMethods).map(({ id, fields }) => section("system", id, fields)),
  section("system", "botCheck", accounts.botCheckOptions),
  section("other", "content", system.contentOptions),
  section("other", "chats", system.chatOptions),
];

/** A part of the settings screen. Its title is `settings.section<Name>` of the console's texts. */
export type OptionSection = (typeof optionSections)[number];

function section<const Name extends string>(
  tab: "operation" | "system" | "other",
  name: Name,
  part: object,
) {
  // Keys in the order in which they are shown.
  return { tab, name, keys: Object.keys(part).filter(isOptionName) };
}

/** An option's value as the API accepts it: pages also send flags and numbers. */
export type SentOption = string | number | boolean;

/**
 * Parses the value of an option as the API carries it; if it is invalid, returns a message that
 * names the option.
 */
export function parseOption<Name extends OptionName>(
  name: Name,
  sent: SentOption,
): Parsed<OptionValue<Name>> {
  const parsed = parseField(options[name], String(sent));
  if (!parsed.ok) return { ok: false, message: `${name}：${parsed.message || "无效的参数"}` };
  // Safe cast: the schema is that of `options[name]`, whose output is `OptionValue<Name>`.
  return { ok: true, value: parsed.value as OptionValue<Name> };
}

/** Writes a value as the text that the API carries. */
export function showOption<Name extends OptionName>(name: Name, value: OptionValue<Name>): string {
  return showField(options[name], value);
}

const listedOption = z.object({ key: z.string(), value: z.string() });
export type ListedOption = z.infer<typeof listedOption>;

/** The options whose values the API never returns. */
export const secretOptions: readonly StoredOptionName[] = Object.keys(options)
  .filter(isOptionName)
  .filter((name): name is StoredOptionName => !isPriceOption(name) && options[name].secret);

/** Lists every option except secrets, sorted by key; of secrets it only says which are set. */
export const listOptions = endpoint({
  method: "GET",
  path: "/api/option/",
  access: "root",
  input: z.object({}),
  output: z.array(listedOption),
  extras: z.object({ secrets_set: z.array(z.string()).default([]) }),
});

/**
 * Changes one option; it is in effect when the answer arrives. Unknown keys and values out of range
 * are refused. An empty value leaves a secret as it is; `clear` removes it. A bot check that nobody could pass would
 * lock everybody out, so changing it needs a token of the new check.
 */
export const updateOption = endpoint({
  method: "PUT",
  path: "/api/option/",
  access: "root",
  stepUp: ({ key }) => isSensitiveOption(key),
  input: z.object({
    key: z.string().min(1).max(100),
    value: z.union([z.string().max(optionTextMax), z.number(), z.boolean()]),
    /**
     * Removes the secret, whatever `value` is. Refused while a switch that is on needs the secret.
     */
    clear: z.boolean().default(false),
    /** Token of the bot-check widget with the new settings; read only if the change needs it. */
    turnstile_token: botCheckToken,
  }),
  output: z.void(),
});

/**
 * Whether changing the option needs a fresh second factor: secrets, payment settings, and the
 * option that protects both.
 */
export function isSensitiveOption(key: string): boolean {
  if (!isOptionName(key)) return false;
  const isPayment = [system.paymentOptions, system.agentOptions].some((part) =>
    Object.hasOwn(part, key),
  );
  return options[key].secret || isPayment || key === "RootSecondFactorRequired";
}

/**
 * Restores the default model ratios. The path, with its spelling mistake, is the one that one-api
 * clients call.
 */
export const resetModelRatio = endpoint({
  method: "POST",
  path: "/api/option/rest_model_ratio",
  access: "root",
  input: z.object({}),
  output: z.void(),
});
