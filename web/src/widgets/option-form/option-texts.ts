/** The texts of options, and the sections that the screen shows. */

import { type OptionName, type OptionSection, optionSections } from "@tollgate/contract/options.ts";
import { unreadOptions, type UnreadReason } from "@tollgate/contract/options-unread.ts";
import { helpKey, optionKey } from "#i18n/kind-keys.ts";
import { type T, textOrNull } from "#i18n/t.ts";

type OptionText = { readonly label: string; readonly help: string | null };

export function optionText(name: OptionName, t: T): OptionText {
  const key = optionKey(name);
  return { label: t(key), help: textOrNull(helpKey(key), t) };
}

/**
 * Why the product does not read the option; null: it does. Such an option is shown so that it can
 * be found, but is read-only.
 */
export function unreadReason(name: OptionName): UnreadReason | null {
  const reasons: Partial<Record<OptionName, UnreadReason>> = unreadOptions;
  return reasons[name] ?? null;
}

export function isUnread(name: OptionName): boolean {
  return unreadReason(name) !== null;
}

/**
 * The sections with at least one option that has an effect. Options that are always on count.
 */
const usefulSections: readonly OptionSection[] = optionSections.filter(
  ({ keys }) => !keys.every((name) => isUnread(name) && unreadReason(name) !== "always"),
);

/** @param selfUse in self-use mode nothing about payment is shown. */
export function shownSections(selfUse: boolean): readonly OptionSection[] {
  return usefulSections.filter(({ name }) => !selfUse || name !== "payment");
}
