import { useVirtualizer } from "@tanstack/react-virtual";
import type { RowsView } from "./rows-view.ts";
import { TableRow } from "./TableRow.tsx";

/** The assumed height of a row in pixels until the row is measured. */
const rowEstimate = 41;

/** The number of rows that are drawn above and below the visible ones. */
const overscan = 12;

/**
 * Draws only the visible rows of a long list, with gaps above and below that are as high as the
 * rows left out.
 */
export function VirtualRows<Row>(props: {
  readonly view: RowsView<Row>;
  readonly frame: HTMLDivElement | null;
}) {
  const { view, frame } = props;
  // oxlint-disable-next-line react/incompatible-library -- the compiler it warns of is not used
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLTableSectionElement>({
    count: view.rows.length,
    getScrollElement: () => frame,
    estimateSize: () => rowEstimate,
    getItemKey: (index) => view.rows[index]?.id ?? index,
    overscan,
    // The assumed size of the frame before it is measured: as high as a tall window.
    initialRect: { width: 1_000, height: 1_200 },
  });
  const items = virtualizer.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <>
      <Gap height={above} span={view.layout.span} />
      {items.map((item) => {
        const row = view.rows[item.index];
        return row === undefined ? null : (
          // Each row is in a `tbody` of its own, so that the row and its unfolded part are measured
          // together.
          <tbody key={row.id} data-index={item.index} ref={virtualizer.measureElement}>
            <TableRow {...view.rowProps(row)} />
          </tbody>
        );
      })}
      <Gap height={below} span={view.layout.span} />
    </>
  );
}

function Gap({ height, span }: { readonly height: number; readonly span: number }) {
  if (height <= 0) return null;
  return (
    <tbody aria-hidden>
      <tr>
        <td colSpan={span} style={{ height, padding: 0 }} />
      </tr>
    </tbody>
  );
}
