import type { ReactNode } from "react";

/** A small table of facts: named rows with a value for each column. It scrolls where it is wide. */
export function PlainTable(props: {
  readonly label: string;
  readonly columns: readonly { readonly key: string; readonly title: ReactNode }[];
  readonly rows: readonly { readonly name: string; readonly cells: readonly ReactNode[] }[];
}) {
  const { label, columns, rows } = props;
  return (
    // Focusable, so that the keyboard can scroll it.
    <div role="region" aria-label={label} tabIndex={0} className="max-w-full overflow-x-auto">
      <table className="border-collapse text-sm tabular-nums">
        <thead>
          <tr>
            {columns.map(({ key, title }, place) => (
              <th
                key={key}
                scope="col"
                className={`py-1 font-medium whitespace-nowrap text-muted ${place === 0 ? "pr-6 text-left" : "pl-6 text-right"}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name} className="border-t border-line">
              <th scope="row" className="py-1 pr-6 text-left font-normal whitespace-nowrap">
                {name}
              </th>
              {cells.map((cell, place) => (
                <td
                  key={columns[place + 1]?.key}
                  className="py-1 pl-6 text-right whitespace-nowrap"
                >
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
