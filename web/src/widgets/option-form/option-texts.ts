/** What the screen says of each option, and which sections it shows. */

import { type OptionName, type OptionSection, optionSections } from "@tollgate/contract/options.ts";
import { unreadOptions } from "@tollgate/contract/options-unread.ts";
import { helpKey, optionKey } from "#i18n/kind-keys.ts";
import { type T, textOrNull } from "#i18n/t.ts";

type OptionText = { readonly label: string; readonly help: string | null };

export function optionText(name: OptionName, t: T): OptionText {
  const key = optionKey(name);
  return { label: t(key), help: textOrNull(helpKey(key), t) };
}

/** Nothing reads it yet: it is shown, so that it is found, and cannot be changed. */
export function isUnread(name: OptionName): boolean {
  return Object.hasOwn(unreadOptions, name);
}

/** A section whose every option is without effect would only be noise. */
export const shownSections: readonly OptionSection[] = optionSections.filter(
  ({ keys }) => !keys.every(isUnread),
);
