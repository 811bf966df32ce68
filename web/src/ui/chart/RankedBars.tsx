import type { ReactNode } from "react";
import type { LinkTarget } from "#ui/controls/Link.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { colourVariable } from "./chart-colours.ts";

export type RankedRow = {
  readonly id: string;
  readonly name: ReactNode;
  /** The share in the whole, 0 to 1. */
  readonly share: number;
  /** The position of its colour; null: the colour of all others. */
  readonly place: number | null;
  /** The row's cells, one for each further column. */
  readonly cells: readonly string[];
  readonly target: LinkTarget | null;
};

/**
 * Parts of a whole, largest first, as a table in which each row has a bar. It is a chart and its
 * own table.
 */
export function RankedBars(props: {
  readonly title: string;
  readonly columns: readonly [string, ...string[]];
  readonly rows: readonly RankedRow[];
}) {
  const { title, columns, rows } = props;
  return (
    <div
      className="max-h-110 overflow-auto overscroll-contain"
      tabIndex={0}
      role="region"
      aria-label={title}
    >
      <table className="w-full border-collapse text-sm tabular-nums">
        <thead className="sticky top-0 bg-panel text-muted">
          <tr>
            {columns.map((column, place) => (
              <th
                key={column}
                scope="col"
                className={`py-1.5 font-medium ${place === 0 ? "text-left" : "pl-3 text-right whitespace-nowrap"}`}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, share, place, cells, target }) => (
            <tr key={id} className="border-t border-line">
              <th scope="row" className="w-full max-w-0 py-1.5 text-left font-normal">
                <span className="block max-sm:wrap-anywhere sm:truncate">
                  {target === null ? name : <Link {...target}>{name}</Link>}
                </span>
                <span aria-hidden className="mt-1 block h-1.5 w-full rounded-full bg-sunken">
                  <span
                    className="block h-full min-w-0.5 rounded-full"
                    style={{ width: `${share * 100}%`, background: colourVariable(place) }}
                  />
                </span>
              </th>
              {cells.map((cell, column) => (
                <td key={columns[column + 1]} className="py-1.5 pl-3 text-right whitespace-nowrap">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
