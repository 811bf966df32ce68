import type { T } from "#i18n/t.ts";
import type { Item } from "#ui/controls/item.ts";

/** Groups by name, as the API answers them. */
export type GroupMap = Readonly<Record<string, { readonly ratio: number; readonly desc: string }>>;

/**
 * Makes groups the items of a picker, sorted by name, each with a hint such as `×0.8 · for teams`.
 */
export function groupItems(groups: GroupMap, t: T): Item[] {
  return Object.entries(groups)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, { ratio, desc }]) => {
      const shown = t("widgets.groupRatio", { ratio: String(ratio) });
      return { value: name, label: name, hint: desc === "" ? shown : `${shown} · ${desc}` };
    });
}
