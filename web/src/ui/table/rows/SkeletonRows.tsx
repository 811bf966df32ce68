import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import type { Column } from "#ui/table/column.ts";
import type { TableLayout } from "#ui/table/columns/layout.ts";
import { cellLook } from "#ui/table/cells/row-look.ts";

/** The largest number of rows that a skeleton draws; further ones would be below the window. */
const rowsMax = 12;

/**
 * Widths of the placeholders as shares of their cells. They differ, so that the skeleton looks like
 * rows of text.
 */
const widths = ["70%", "48%", "62%", "38%", "55%"] as const;

/** A placeholder for a table's rows: the real columns with grey bars instead of texts. */
export function SkeletonRows<Row>(props: {
  readonly columns: readonly Column<Row>[];
  readonly layout: TableLayout;
  readonly size: number;
}) {
  const { columns, layout, size } = props;
  return Array.from({ length: Math.min(size, rowsMax) }, (_, row) => (
    <tr key={row}>
      {layout.selectable && <td className={cellLook} />}
      {layout.expandable && <td className={cellLook} />}
      {columns.map((column, index) => (
        <td
          key={column.id}
          className={`${cellLook} ${column.align === "right" ? "text-right" : ""}`}
        >
          <Skeleton width={widths[(row + index * 2) % widths.length]} />
        </td>
      ))}
      {layout.actions && <td className={cellLook} />}
    </tr>
  ));
}

/** A placeholder for the rows of a list on a phone. */
export function SkeletonCards({ size }: { readonly size: number }) {
  return (
    <div className="flex flex-col divide-y overflow-hidden rounded border border-line">
      {Array.from({ length: Math.min(size, rowsMax) }, (_, index) => (
        <div key={index} className="flex min-h-15 flex-col justify-center gap-2.5 bg-panel px-3">
          <span className="flex items-center justify-between gap-6">
            <Skeleton width={widths[index % widths.length]} height={14} />
            <Skeleton width="4rem" />
          </span>
          <Skeleton width={widths[(index + 2) % widths.length]} height={10} />
        </div>
      ))}
    </div>
  );
}
