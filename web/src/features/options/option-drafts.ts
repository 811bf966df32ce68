/**
 * Changes of options that are not saved yet. Values are in the text form of the API, see
 * `options.ts`.
 */

import {
  isOptionName,
  type OptionName,
  options,
  parseOption,
  showOption,
} from "@tollgate/contract/options/options.ts";
import type { OptionTextMap } from "#widgets/option-form/drafts.ts";

/** The options with the prices and names of groups, which are saved together. */
export const groupNames = ["GroupRatio", "UserUsableGroups"] as const;

/** Returns the values that the server answered, without options that this console does not know. */
export function storedTexts(
  listed: readonly { readonly key: string; readonly value: string }[],
): OptionTextMap {
  const texts: Partial<Record<OptionName, string>> = {};
  for (const { key, value } of listed) if (isOptionName(key)) texts[key] = value;
  return texts;
}

/**
 * Whether saving the draft would change the option. The same value in another notation counts as
 * unchanged.
 */
export function isChanged(name: OptionName, stored: string, draft: string | undefined): boolean {
  if (draft === undefined || draft === stored) return false;
  return plain(name, draft) !== plain(name, stored);
}

export function changedNames(
  names: readonly OptionName[],
  stored: OptionTextMap,
  drafts: OptionTextMap,
): OptionName[] {
  return names.filter((name) => isChanged(name, stored[name] ?? "", drafts[name]));
}

/**
 * Returns the value in the notation that the server uses in its answers. It is also sent in this
 * form.
 */
export function plain(name: OptionName, text: string): string {
  const parsed = parseOption(name, text);
  return parsed.ok ? showOption(name, parsed.value) : text;
}

export type Fault = { readonly kind: "topup-json" } | { readonly kind: "message"; message: string };

/**
 * Returns why a value is invalid, so that it need not be sent to find out; undefined: it is valid.
 */
export function faultOf(name: OptionName, text: string): Fault | undefined {
  const parsed = parseOption(name, text);
  if (parsed.ok) return undefined;
  const message = withoutName(name, parsed.message);
  if (name === "TopupGroupRatio" && message === "不是合法的 JSON 字符串") {
    return { kind: "topup-json" };
  }
  return { kind: "message", message };
}

/**
 * Removes the option's key from the start of an error message, because the message is shown below
 * the option's own label.
 */
export function withoutName(name: OptionName, message: string): string {
  return message.startsWith(`${name}：`) ? message.slice(name.length + 1) : message;
}

const botCheckNames = [
  "TurnstileCheckEnabled",
  "TurnstileSiteKey",
  "TurnstileSecretKey",
] as const satisfies OptionName[];

export function isOfBotCheck(name: OptionName): boolean {
  return botCheckNames.some((one) => one === name);
}

/**
 * Returns the site key that the bot check would use after saving. Root must pass that check before,
 * because nobody could sign in with one that does not work. Null: saving does not change the check.
 */
export function triedSiteKey(stored: OptionTextMap, drafts: OptionTextMap): string | null {
  const textOf = (name: OptionName): string => drafts[name] ?? stored[name] ?? "";
  const isOn = textOf("TurnstileCheckEnabled") === "true";
  const siteKey = textOf("TurnstileSiteKey").trim();
  if (!isOn || siteKey === "") return null;
  return changedNames(botCheckNames, stored, drafts).length > 0 ? siteKey : null;
}

/**
 * Orders options for saving, switches last: the server refuses to turn a switch on before the
 * values it needs are stored.
 */
export function saveOrder(names: readonly OptionName[]): OptionName[] {
  const isSwitch = (name: OptionName): boolean => options[name].type === "flag";
  return [...names.filter((name) => !isSwitch(name)), ...names.filter(isSwitch)];
}
