import { ChevronDown, Ellipsis } from "lucide-react";
import { memo, type ReactNode, useEffect, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import type { Column } from "#ui/table/column.ts";
import type { CardColumns } from "#ui/table/columns/card-columns.ts";
import { actionsOf } from "./RowMenu.tsx";
import type { RowsView } from "./rows-view.ts";
import { squareLook } from "#ui/table/cells/row-look.ts";
import { useRowWords } from "#ui/table/cells/row-words.ts";
import type { TableRowProps } from "./TableRow.tsx";

/**
 * The number of rows that are drawn at first, and that are added each time the end of the list
 * comes into view.
 */
const cardsAtOnce = 100;

/** A list on a phone, where two lines show each row. */
export function CardList<Row>(props: {
  readonly view: RowsView<Row>;
  readonly cards: CardColumns<Row>;
  readonly label: string;
  readonly busy: boolean;
}) {
  const { view, cards, label, busy } = props;
  const t = useT();
  const [count, setCount] = useState(cardsAtOnce);
  const [end, setEnd] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (end === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setCount(count + cardsAtOnce);
      },
      { rootMargin: "600px" },
    );
    observer.observe(end);
    return () => observer.disconnect();
  }, [end, count]);
  const left = view.rows.length - count;
  return (
    <>
      <ul
        aria-label={label}
        aria-busy={busy}
        className="flex flex-col divide-y overflow-hidden rounded border border-line"
      >
        {view.rows.slice(0, count).map((row) => (
          <RowCard key={row.id} {...view.rowProps(row)} cards={cards} />
        ))}
      </ul>
      {left > 0 && (
        <div ref={setEnd} className="mt-3 flex justify-center">
          <Button onClick={() => setCount(count + cardsAtOnce)}>
            {t("ui.tableShowMore", { count: left })}
          </Button>
        </div>
      )}
    </>
  );
}

type RowCardProps<Row> = TableRowProps<Row> & { readonly cards: CardColumns<Row> };

function RowCardDrawn<Row>(props: RowCardProps<Row>) {
  const { id, name, layout, work, selected, muted, peeked, detail } = props;
  const words = useRowWords();
  return (
    <li
      data-row={id}
      tabIndex={-1}
      data-selected={selected ? "" : undefined}
      data-muted={muted ? "" : undefined}
      data-peekable={peeked === null ? undefined : ""}
      aria-current={peeked === true ? "true" : undefined}
      // The menu of the row and the key Space do the same.
      onClick={peeked === null ? undefined : (event) => work.press(id, event)}
      className="group/row row-focus bg-panel pl-3 text-sm [contain-intrinsic-size:auto_61px] [content-visibility:auto] data-muted:bg-sunken data-muted:text-muted data-selected:bg-accent-soft"
    >
      <div className="flex min-h-15 items-center gap-1">
        {layout.selectable && (
          <label
            data-select=""
            className="-ml-3 flex h-15 w-10 shrink-0 items-center justify-center"
          >
            <Checkbox
              checked={selected}
              aria-label={words.select(name)}
              onChange={(_, event) => work.toggle(id, event)}
            />
          </label>
        )}
        <CardLines {...props} />
        <CardButton {...props} />
      </div>
      {detail !== null && <div className="border-t border-line py-3 pr-3">{detail}</div>}
    </li>
  );
}

// The cast restores the type parameters that `memo` loses; the props stay the same.
const RowCard = memo(RowCardDrawn) as typeof RowCardDrawn;

/** The two lines of a row: the title and the "lead" columns, then the "fact" columns. */
function CardLines<Row>({ row, cards, openable, work }: RowCardProps<Row>) {
  const { title, leads, facts } = cards;
  const named = title === undefined ? null : briefly(title, row);
  const said = shown(facts, row);
  return (
    <div className="flex min-w-0 flex-1 flex-col py-1">
      <div className="flex min-h-8 min-w-0 items-center gap-2">
        <div data-primary="" className="min-w-0 flex-1 text-base font-medium">
          {openable ? (
            <button
              type="button"
              className="flex min-h-8 w-full min-w-0 items-center rounded-inner text-left"
              onClick={() => work.open(row)}
            >
              <span className="min-w-0 flex-1 truncate">{named}</span>
            </button>
          ) : (
            <div className="min-w-0 truncate">{named}</div>
          )}
        </div>
        {title?.below && <div className="shrink-0">{title.below(row)}</div>}
        {shown(leads, row).map(({ column, content }) => (
          <div key={column.id} className="shrink-0 tabular-nums">
            {content}
          </div>
        ))}
      </div>
      {said.length > 0 && (
        <div className="flex min-h-5 min-w-0 items-center overflow-hidden text-xs whitespace-nowrap text-muted tabular-nums">
          {said.map(({ column, content }) => (
            <Fact key={column.id} cut={column.grow !== undefined}>
              {content}
            </Fact>
          ))}
        </div>
      )}
    </div>
  );
}

/**
 * Shows a value in the second line. `cut`: it is cut when there is no room, as names are; figures
 * are not, except the last one when no name has more to give, so that the line does not end in half
 * a letter. The unfolded row shows it in full. Of several names, short ones stay whole (in browsers
 * that know `calc-size`), because a long one has more to give.
 */
function Fact({ cut, children }: { readonly cut: boolean; readonly children: ReactNode }) {
  return (
    <span
      className={`not-first:before:mx-1 not-first:before:content-['·'] ${cut ? "min-w-0 shrink-[1000] truncate supports-[min-width:calc-size(max-content,size)]:min-w-[calc-size(max-content,min(size,5em))]" : "shrink-0 last:min-w-0 last:shrink last:truncate"}`}
    >
      {children}
    </span>
  );
}

/** The columns that have something to show in the two lines of the row. */
function shown<Row>(columns: readonly Column<Row>[], row: Row) {
  return columns
    .map((column) => ({ column, content: briefly(column, row) }))
    .filter(({ content }) => content !== null && content !== undefined && content !== false);
}

/** What the two lines show of a column: nothing of one that the row does not have. */
function briefly<Row>(column: Column<Row>, row: Row): ReactNode {
  if (column.brief !== undefined) return column.brief(row);
  return column.has?.(row) === false ? null : column.cell(row);
}

/**
 * The button of a row: opens the menu with all actions or, if the row has no actions, unfolds the
 * row.
 */
function CardButton<Row>({ id, row, name, actions, layout, work, detail }: RowCardProps<Row>) {
  const words = useRowWords();
  if (actionsOf(actions, row).length > 0) {
    return (
      <button
        type="button"
        aria-haspopup="menu"
        aria-label={words.more(name)}
        className={squareLook}
        onClick={(event) => work.openMenu(row, event.currentTarget, true)}
      >
        <Ellipsis size={16} aria-hidden />
      </button>
    );
  }
  if (!layout.expandable) return <span className="w-2 shrink-0" />;
  return (
    <button
      type="button"
      aria-expanded={detail !== null}
      aria-label={words.details(name)}
      className={squareLook}
      onClick={() => work.toggleExpanded(id)}
    >
      <ChevronDown size={16} aria-hidden className={detail === null ? "" : "rotate-180"} />
    </button>
  );
}
