import type { Filter } from "#ui/table/column.ts";

/** Makes a filter with a few fixed choices: their labels by value, in the order of the object. */
export function choiceFilter(
  name: string,
  label: string,
  labels: Readonly<Record<string, string>>,
): Filter {
  const items = Object.entries(labels).map(([value, text]) => ({ value, label: text }));
  return { kind: "select", name, label, items };
}
