import type { OptionName, OptionSection } from "@tollgate/contract/options/options.ts";
import type { T } from "#i18n/t.ts";
import { sectionKey } from "#i18n/kind-keys.ts";
import { optionText } from "#widgets/option-form/option-texts.ts";

/**
 * Finds the sections with options that match a keyword in their key, label, help text or section
 * title.
 */
export function findOptions(
  sections: readonly OptionSection[],
  keyword: string,
  t: T,
): OptionSection[] {
  const wanted = keyword.trim().toLowerCase();
  const has = (text: string): boolean => text.toLowerCase().includes(wanted);
  const matches = (name: OptionName): boolean => {
    const { label, help } = optionText(name, t);
    return has(name) || has(label) || (help !== null && has(help));
  };
  return sections
    .map((section) =>
      has(t(sectionKey(section.name)))
        ? section
        : { ...section, keys: section.keys.filter(matches) },
    )
    .filter(({ keys }) => keys.length > 0);
}
