/** Columns that many tables have: when something happened, and in which state a row is. */

import type { ComponentProps } from "react";
import { showTime } from "#display/time.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import type { Column } from "#ui/table/column.ts";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";

type Fixed = "cell" | "csv" | "width";

/** Makes the column of a time in Unix seconds. The cell says how long ago it was, a file the time. */
export function timeColumn<Row>(
  column: Omit<Column<Row>, Fixed> & { readonly width?: number },
  secondsOf: (row: Row) => number,
): Column<Row> {
  return {
    width: 110,
    ...column,
    csv: (row) => showTime(secondsOf(row), ""),
    cell: (row) => <TimeCell seconds={secondsOf(row)} />,
  };
}

type Look = {
  readonly text: string;
  readonly tone: NonNullable<ComponentProps<typeof Badge>["tone"]>;
};

/** Makes the column of a row's state: its word, in the tone of its look. */
export function stateColumn<Row>(title: string, lookOf: (row: Row) => Look): Column<Row> {
  return {
    id: "state",
    title,
    rank: 1,
    width: 96,
    card: "lead",
    csv: (row) => lookOf(row).text,
    cell: (row) => {
      const { text, tone } = lookOf(row);
      return <Badge tone={tone}>{text}</Badge>;
    },
  };
}
