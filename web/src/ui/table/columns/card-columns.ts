/** Chooses where each column is in the two lines that show a row on a phone. */

import { primaryId } from "./arrange-columns.ts";
import type { Column } from "#ui/table/column.ts";

export type CardColumns<Row> = {
  readonly title: Column<Row> | undefined;
  readonly leads: readonly Column<Row>[];
  readonly facts: readonly Column<Row>[];
  /**
   * The columns that the unfolded row shows: those that are not in the two lines, or only in a
   * short form.
   */
  readonly left: readonly Column<Row>[];
};

export function cardColumns<Row>(columns: readonly Column<Row>[]): CardColumns<Row> {
  const id = primaryId(columns);
  const title = columns.find((column) => column.id === id);
  const others = columns.filter((column) => column !== title);
  return {
    title,
    leads: others.filter(({ card }) => card === "lead"),
    facts: others.filter(({ card }) => card === "fact"),
    left: columns.filter(
      (column) => column.brief !== undefined || (column !== title && column.card === undefined),
    ),
  };
}
