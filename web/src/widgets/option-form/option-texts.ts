/** The texts of options, and the sections that the screen shows. */

import { type OptionName, type OptionSection, optionSections } from "@tollgate/contract/options.ts";
import { unreadOptions } from "@tollgate/contract/options-unread.ts";
import { helpKey, optionKey } from "#i18n/kind-keys.ts";
import { type T, textOrNull } from "#i18n/t.ts";

type OptionText = { readonly label: string; readonly help: string | null };

export function optionText(name: OptionName, t: T): OptionText {
  const key = optionKey(name);
  return { label: t(key), help: textOrNull(helpKey(key), t) };
}

/**
 * The product does not read the option yet. It is shown so that it can be found, but is read-only.
 */
export function isUnread(name: OptionName): boolean {
  return Object.hasOwn(unreadOptions, name);
}

/** Sections without a single option that has an effect are left out. */
export const shownSections: readonly OptionSection[] = optionSections.filter(
  ({ keys }) => !keys.every(isUnread),
);
