/**
 * The choices that a combobox offers for a typed text; without the DOM, so that it can be tested.
 */

import type { Item } from "./item.ts";

/** A longer list draws only its visible rows. */
export const virtualAbove = 200;

/** The choices whose label, hint or value contains every word of `query`, in their own order. */
export function filterItems<Value extends string | number>(
  items: readonly Item<Value>[],
  query: string,
): readonly Item<Value>[] {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items.filter((item) => {
    const text = `${item.label}\n${item.hint ?? ""}\n${item.value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The choice for `value`; a value that is not offered is its own label. */
export function itemOf<Value extends string | number>(
  items: readonly Item<Value>[],
  value: Value,
): Item<Value> {
  return items.find((item) => item.value === value) ?? { value, label: String(value) };
}

/** Splits pasted text into values: at commas of both scripts, semicolons, tabs and lines. */
export function splitValues(text: string): readonly string[] {
  return [
    ...new Set(
      text
        .split(/[,，;；、\t\r\n]+/)
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    ),
  ];
}

/** `values` with those of `added` that are new. */
export function withValues(values: readonly string[], added: readonly string[]): readonly string[] {
  const fresh = added.filter((value) => !values.includes(value));
  return fresh.length === 0 ? values : [...values, ...fresh];
}
