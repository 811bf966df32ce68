/** Changes of options that are not saved yet. Values are the API's text, see `options.ts`. */

import {
  isOptionName,
  type OptionName,
  options,
  parseOption,
  showOption,
} from "@tollgate/contract/options.ts";
import type { OptionTextMap } from "#widgets/option-form/drafts.ts";

/** The options of groups, which are saved together. */
export const groupNames = ["GroupRatio", "UserUsableGroups"] as const;

/** The server's options; keys that this console does not know are left out. */
export function storedTexts(
  listed: readonly { readonly key: string; readonly value: string }[],
): OptionTextMap {
  const texts: Partial<Record<OptionName, string>> = {};
  for (const { key, value } of listed) if (isOptionName(key)) texts[key] = value;
  return texts;
}

/** Whether a save would change the value. Another spelling of the same value is no change. */
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

/** The value in the spelling in which the server answers it; this is what is sent. */
export function plain(name: OptionName, text: string): string {
  const parsed = parseOption(name, text);
  return parsed.ok ? showOption(name, parsed.value) : text;
}

export type Fault = { readonly kind: "topup-json" } | { readonly kind: "message"; message: string };

/** Why a text is invalid, found before it is sent; undefined: it is valid. */
export function faultOf(name: OptionName, text: string): Fault | undefined {
  const parsed = parseOption(name, text);
  if (parsed.ok) return undefined;
  const message = withoutName(name, parsed.message);
  if (name === "TopupGroupRatio" && message === "不是合法的 JSON 字符串") {
    return { kind: "topup-json" };
  }
  return { kind: "message", message };
}

/** Removes the key from a refusal: it is shown at its field, whose label says the same. */
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
 * The site key of the bot check that a save would put in force. Root must pass its widget first,
 * because nobody could sign in with a check that does not work. Null: a save does not change it.
 */
export function triedSiteKey(stored: OptionTextMap, drafts: OptionTextMap): string | null {
  const textOf = (name: OptionName): string => drafts[name] ?? stored[name] ?? "";
  const isOn = textOf("TurnstileCheckEnabled") === "true";
  const siteKey = textOf("TurnstileSiteKey").trim();
  if (!isOn || siteKey === "") return null;
  return changedNames(botCheckNames, stored, drafts).length > 0 ? siteKey : null;
}

/** Switches last: the server refuses to turn one on while the values it needs are missing. */
export function saveOrder(names: readonly OptionName[]): OptionName[] {
  const isSwitch = (name: OptionName): boolean => options[name].type === "flag";
  return [...names.filter((name) => !isSwitch(name)), ...names.filter(isSwitch)];
}
