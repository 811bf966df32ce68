/** The result of a bulk action, for the banner about rows that were not changed. */

import type { BulkAction, BulkResult } from "#ui/table/column.ts";

/** A bulk action that did not change every row. */
export type PartialResult = {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly failed: readonly {
    readonly id: string;
    readonly name: string;
    readonly reason: string;
  }[];
};

type Named = { readonly id: string; readonly name: string };

/**
 * Null: every row was changed, or the action gave no result. Rows beyond the page are only counted.
 */
export function partialResult(
  action: Pick<BulkAction<never>, "label">,
  result: BulkResult | undefined,
  selected: readonly Named[],
): PartialResult | null {
  if (result === undefined) return null;
  const total = result.total ?? Math.max(selected.length, result.done + result.failed.length);
  if (result.done === total) return null;
  const names = new Map(selected.map(({ id, name }) => [id, name]));
  return {
    label: action.label,
    done: result.done,
    total,
    failed: result.failed.map(({ id, reason }) => ({ id, reason, name: names.get(id) ?? id })),
  };
}
