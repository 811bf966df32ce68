/**
 * Computes the choices that a combobox offers for a typed text. Without the DOM, so that it can be
 * tested alone.
 */

import type { Item } from "./item.ts";

/** A list with more choices than this draws only its visible rows. */
export const virtualAbove = 200;

/**
 * Finds the choices whose label, hint, words or value contain every word of `query`, in the order of
 * `items`.
 */
export function filterItems<Value extends string | number>(
  items: readonly Item<Value>[],
  query: string,
): readonly Item<Value>[] {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items.filter((item) => {
    const text =
      `${item.label}\n${item.hint ?? ""}\n${item.words ?? ""}\n${item.value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/**
 * Returns the choice that has the value `value`. For a value that is not offered, the value itself
 * is the label.
 */
export function itemOf<Value extends string | number>(
  items: readonly Item<Value>[],
  value: Value,
): Item<Value> {
  return items.find((item) => item.value === value) ?? { value, label: String(value) };
}

/**
 * Splits pasted text into values: at Latin and Chinese commas and semicolons, at tabs and line
 * ends.
 */
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

/** Returns `values`, followed by those of `added` that it does not contain yet. */
export function withValues(values: readonly string[], added: readonly string[]): readonly string[] {
  const fresh = added.filter((value) => !values.includes(value));
  return fresh.length === 0 ? values : [...values, ...fresh];
}
