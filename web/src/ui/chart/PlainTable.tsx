import type { ReactNode } from "react";

/** A table with more columns than this is told row by row on a phone. */
const columnsMax = 3;

/**
 * A small table of facts: named rows with a value for each column. On a phone, each row of a table
 * with many columns is a list of its values; other tables scroll where they are wide.
 */
export function PlainTable(props: {
  readonly label: string;
  readonly columns: readonly { readonly key: string; readonly title: ReactNode }[];
  readonly rows: readonly {
    readonly name: string;
    /** Shown in place of the name, as a button; absent: the name. */
    readonly label?: ReactNode;
    readonly cells: readonly ReactNode[];
  }[];
  /** Whether the columns are to be compared, and stay beside each other on a phone, too. */
  readonly compares?: boolean;
}) {
  const { label, columns, rows, compares = false } = props;
  const look = compares || columns.length <= columnsMax ? flat : stacked;
  return (
    // Focusable, so that the keyboard can scroll it.
    <div role="region" aria-label={label} tabIndex={0} className="max-w-full overflow-x-auto">
      {/* The roles are written, because an element that is no table to the eye loses its own. */}
      <table role="table" className={`border-collapse text-sm tabular-nums ${look.table}`}>
        <thead role="rowgroup" className={look.head}>
          <tr role="row">
            {columns.map(({ key, title }, place) => (
              <th
                key={key}
                scope="col"
                role="columnheader"
                className={`py-1 align-bottom font-medium break-keep text-muted ${look.title} ${place === 0 ? "pr-3 text-left md:pr-6" : "pl-3 text-right md:pl-6"}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className={look.body}>
          {rows.map(({ name, label: shown = name, cells }) => (
            <tr key={name} role="row" className={`border-t border-line ${look.row}`}>
              <th
                scope="row"
                role="rowheader"
                className={`py-1 pr-3 text-left font-normal md:pr-6 ${look.name}`}
              >
                {shown}
              </th>
              {cells.map((cell, place) => (
                <td
                  key={columns[place + 1]?.key}
                  role="cell"
                  data-title={look === stacked ? titleOf(columns[place + 1]) : undefined}
                  className={`py-1 pl-3 text-right whitespace-nowrap md:pl-6 ${look.cell}`}
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

function titleOf(column: { readonly title: ReactNode } | undefined): string | undefined {
  return typeof column?.title === "string" ? column.title : undefined;
}

type Look = Readonly<Record<"body" | "cell" | "head" | "name" | "row" | "table" | "title", string>>;

const flat: Look = {
  table: "",
  head: "",
  title: "md:whitespace-nowrap",
  body: "",
  row: "",
  name: "whitespace-nowrap",
  cell: "",
};

/** On a phone the names of columns stand beside the values, which wrap. */
const stacked: Look = {
  table: "max-sm:block",
  head: "max-sm:hidden",
  title: "",
  body: "max-sm:block",
  row: "max-sm:block max-sm:py-2",
  name: "wrap-anywhere max-sm:block",
  cell:
    "max-sm:grid max-sm:grid-cols-[auto_minmax(0,1fr)] max-sm:gap-x-3 max-sm:pl-0 " +
    "max-sm:wrap-anywhere max-sm:whitespace-normal " +
    "max-sm:before:text-left max-sm:before:text-muted max-sm:before:content-[attr(data-title)]",
};
