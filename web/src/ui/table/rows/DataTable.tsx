import { type ReactNode, Suspense, useState } from "react";
import { VirtualRows } from "#ui/table/lazy-parts.ts";
import { TableHead } from "./TableHead.tsx";
import { TableRow } from "./TableRow.tsx";
import type { RowsView } from "./rows-view.ts";
import { useEdges } from "./use-edges.ts";
import { useFill } from "./use-fill.ts";
import { useLockedWidths } from "#ui/table/columns/use-locked-widths.ts";

/** A list with more rows than this draws only those that are in view. */
const drawnRowsMax = 100;

/**
 * A list on a wide screen, as a table. The table scrolls inside its own frame, so that the page
 * never scrolls sideways.
 */
export function DataTable<Row>(props: {
  readonly view: RowsView<Row>;
  readonly label: string;
  readonly busy: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** Shown instead of the rows: a skeleton, or why there are no rows. */
  readonly instead?: ReactNode;
}) {
  const { view, label, busy, sort, onSort, instead } = props;
  // The frame is a state and not a ref, because the virtual rows need another drawing once the
  // frame exists.
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  const virtual = view.rows.length > drawnRowsMax;
  useFill(frame, virtual);
  useEdges(frame);
  useLockedWidths(frame, virtual, view.layout);
  const count = view.rows.filter((row) => row.selected).length;
  return (
    <div
      ref={setFrame}
      className="group/frame @container relative [scrollbar-gutter:stable] min-h-0 overflow-auto overscroll-x-contain rounded border border-line head-band"
    >
      <table
        aria-label={label}
        aria-busy={busy}
        aria-rowcount={virtual ? view.rows.length + 1 : undefined}
        className="w-full border-separate border-spacing-0 text-sm"
      >
        <TableHead
          columns={view.columns}
          layout={view.layout}
          sort={sort}
          onSort={onSort}
          selected={count === 0 ? false : count === view.rows.length || "mixed"}
          onSelectAll={view.toggleAll}
        />
        <Body view={view} virtual={virtual} frame={frame} instead={instead} />
      </table>
    </div>
  );
}

function Body<Row>(props: {
  readonly view: RowsView<Row>;
  readonly virtual: boolean;
  readonly frame: HTMLDivElement | null;
  readonly instead: ReactNode;
}) {
  const { view, virtual, frame, instead } = props;
  if (instead !== undefined && instead !== null) return <tbody>{instead}</tbody>;
  if (virtual) {
    return (
      <Suspense fallback={<tbody />}>
        <VirtualRows view={view} frame={frame} />
      </Suspense>
    );
  }
  return (
    <tbody>
      {view.rows.map((row) => (
        <TableRow key={row.id} {...view.rowProps(row)} />
      ))}
    </tbody>
  );
}
