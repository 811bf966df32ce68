/** Computes what the banner says about rows that a bulk action did not change. */

import type { BulkAction, BulkResult } from "#ui/table/column.ts";

/** The result of a bulk action that did not change every row. */
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
 * Writes what to say about a bulk action that did not change every row; null: it changed every row,
 * or gave no result. A failed row that is not in `selected` is named by its id.
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
