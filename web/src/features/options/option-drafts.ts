/** What was changed on the screen and not saved yet. Everything is the API's text, see `options.ts`. */

import {
  isOptionName,
  type OptionName,
  options,
  parseOption,
  showOption,
} from "@tollgate/contract/options.ts";
import type { OptionTextMap } from "#widgets/option-form/drafts.ts";

/** Saved together, as the data of groups. */
export const groupNames = ["GroupRatio", "UserUsableGroups"] as const;

/** What the server listed; keys this console does not know are left out. */
export function storedTexts(
  listed: readonly { readonly key: string; readonly value: string }[],
): OptionTextMap {
  const texts: Partial<Record<OptionName, string>> = {};
  for (const { key, value } of listed) if (isOptionName(key)) texts[key] = value;
  return texts;
}

/** Whether saving would change something. Another spelling of the same value changes nothing. */
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

/** The text that is sent: as the server will answer it. */
export function plain(name: OptionName, text: string): string {
  const parsed = parseOption(name, text);
  return parsed.ok ? showOption(name, parsed.value) : text;
}

export type Fault = { readonly kind: "topup-json" } | { readonly kind: "message"; message: string };

/** Why a text is refused, before it is sent; undefined: it is not. */
export function faultOf(name: OptionName, text: string): Fault | undefined {
  const parsed = parseOption(name, text);
  if (parsed.ok) return undefined;
  const message = withoutName(name, parsed.message);
  if (name === "TopupGroupRatio" && message === "不是合法的 JSON 字符串") {
    return { kind: "topup-json" };
  }
  return { kind: "message", message };
}

/** A refusal stands at its field, where the key would only repeat the label. */
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
 * The site key of the bot check that a save would put in force: its widget has to be passed first,
 * because nobody could sign in behind one that cannot be. Null: a save leaves the check as it is.
 */
export function triedSiteKey(stored: OptionTextMap, drafts: OptionTextMap): string | null {
  const textOf = (name: OptionName): string => drafts[name] ?? stored[name] ?? "";
  const isOn = textOf("TurnstileCheckEnabled") === "true";
  const siteKey = textOf("TurnstileSiteKey").trim();
  if (!isOn || siteKey === "") return null;
  return changedNames(botCheckNames, stored, drafts).length > 0 ? siteKey : null;
}

/** Switches last: the server turns one on only once what it needs is there. */
export function saveOrder(names: readonly OptionName[]): OptionName[] {
  const isSwitch = (name: OptionName): boolean => options[name].type === "flag";
  return [...names.filter((name) => !isSwitch(name)), ...names.filter(isSwitch)];
}
