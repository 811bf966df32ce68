/** The labels and help texts of options, and the sections in which the settings show them. */

import {
  type OptionName,
  type OptionSection,
  optionSections,
} from "@tollgate/contract/options/options.ts";
import { unreadOptions, type UnreadReason } from "@tollgate/contract/options/options-unread.ts";
import { helpKey, optionKey } from "#i18n/kind-keys.ts";
import { type T, textOrNull } from "#i18n/t.ts";

type OptionText = { readonly label: string; readonly help: string | null };

export function optionText(name: OptionName, t: T): OptionText {
  const key = optionKey(name);
  return { label: t(key), help: textOrNull(helpKey(key), t) };
}

/**
 * Returns why the product ignores the option; null: it is in use. An ignored option is still shown,
 * read-only, so that operators who search for it find the reason.
 */
export function unreadReason(name: OptionName): UnreadReason | null {
  const reasons: Partial<Record<OptionName, UnreadReason>> = unreadOptions;
  return reasons[name] ?? null;
}

export function isUnread(name: OptionName): boolean {
  return unreadReason(name) !== null;
}

/**
 * The sections with at least one option that has an effect. Options whose behaviour is always on
 * count as having one.
 */
const usefulSections: readonly OptionSection[] = optionSections.filter(
  ({ keys }) => !keys.every((name) => isUnread(name) && unreadReason(name) !== "always"),
);

/**
 * Returns the sections that the settings show.
 * @param selfUse whether the server is in self-use mode, which hides the section about payment.
 */
export function shownSections(selfUse: boolean): readonly OptionSection[] {
  return usefulSections.filter(({ name }) => !selfUse || name !== "payment");
}
