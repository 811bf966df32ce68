import { ChevronDown } from "lucide-react";
import { memo, type ReactNode, useEffect, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import type { Column } from "#ui/table/column.ts";
import { RowActions } from "./RowActions.tsx";
import type { RowsView } from "./rows-view.ts";
import { squareLook } from "#ui/table/cells/row-look.ts";
import { useRowWords } from "#ui/table/cells/row-words.ts";
import type { TableRowProps } from "./TableRow.tsx";

/** Cards drawn at once, and again each time their end comes into view. */
const cardsAtOnce = 100;

/** A list on a phone: a card for each row. */
export function CardList<Row>(props: {
  readonly view: RowsView<Row>;
  readonly label: string;
  readonly busy: boolean;
}) {
  const { view, label, busy } = props;
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
      <ul aria-label={label} aria-busy={busy} className="flex flex-col gap-2">
        {view.rows.slice(0, count).map((row) => (
          <RowCard key={row.id} {...view.rowProps(row)} />
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

function RowCardDrawn<Row>(props: TableRowProps<Row>) {
  const { id, row, name, columns, layout, work, selected, muted, openable, detail } = props;
  const words = useRowWords();
  const expanded = detail !== null;
  const title = columns.find((column) => column.id === layout.primaryId);
  const placed = columns.filter((column) => column !== title);
  const status = placed.filter((column) => column.card === "status");
  const figures = placed.filter((column) => column.card === "figure");
  const lines = placed.filter((column) => (column.card ?? "line") === "line");
  const unfold = (
    <button
      type="button"
      aria-expanded={expanded}
      aria-label={words.details(name)}
      className={`${squareLook} ${layout.actions ? "-ml-2" : "-mr-2"}`}
      onClick={() => work.toggleExpanded(id)}
    >
      <ChevronDown size={16} aria-hidden className={expanded ? "rotate-180" : ""} />
    </button>
  );
  return (
    <li
      data-row={id}
      tabIndex={-1}
      data-selected={selected ? "" : undefined}
      data-muted={muted ? "" : undefined}
      className="group/row row-focus rounded border border-line bg-panel p-3 text-sm [contain-intrinsic-size:auto_160px] [content-visibility:auto] data-muted:text-muted data-selected:border-accent-line data-selected:bg-accent-soft"
    >
      <div className="flex min-h-10 items-center gap-2">
        {layout.selectable && (
          <label
            data-select=""
            className="-my-1 -ml-2 flex size-10 shrink-0 items-center justify-center"
          >
            <Checkbox
              checked={selected}
              aria-label={words.select(name)}
              onChange={(_, event) => work.toggle(id, event)}
            />
          </label>
        )}
        <div data-primary="" className="min-w-0 flex-1 text-base font-medium">
          {title !== undefined &&
            (openable ? (
              <button
                type="button"
                className="flex min-h-10 max-w-full min-w-0 items-center rounded-inner text-left"
                onClick={() => work.open(row)}
              >
                <span className="min-w-0 truncate">{title.cell(row)}</span>
              </button>
            ) : (
              <div className="min-w-0 truncate">{title.cell(row)}</div>
            ))}
        </div>
        {status.map((column) => (
          <div key={column.id} className="shrink-0">
            {column.cell(row)}
          </div>
        ))}
        {layout.expandable && !layout.actions && unfold}
      </div>
      <CardFacts row={row} figures={figures} lines={lines} />
      {layout.actions && (
        <div className="mt-1 -mb-1.5 flex items-center">
          {layout.expandable && unfold}
          <span className="-mr-2 ml-auto">
            <RowActions row={row} name={name} actions={props.actions} work={work} />
          </span>
        </div>
      )}
      {expanded && <div className="mt-2 border-t border-line pt-3">{detail}</div>}
    </li>
  );
}

// `memo` loses type parameters; the props stay the same.
const RowCard = memo(RowCardDrawn) as typeof RowCardDrawn;

function CardFacts<Row>(props: {
  readonly row: Row;
  readonly figures: readonly Column<Row>[];
  readonly lines: readonly Column<Row>[];
}) {
  const { row, figures, lines } = props;
  return (
    <>
      {figures.length > 0 && (
        <dl className="mt-1 grid grid-cols-2 gap-x-4 gap-y-1">
          {figures.map((column) => (
            <div key={column.id} className="min-w-0">
              <dt className="text-xs text-muted">{column.title}</dt>
              <dd className="min-w-0 tabular-nums">{column.cell(row)}</dd>
            </div>
          ))}
        </dl>
      )}
      {lines.length > 0 && (
        <dl className="mt-2 flex flex-col gap-1">
          {lines.map((column) => (
            <Line key={column.id} title={column.title}>
              {column.cell(row)}
            </Line>
          ))}
        </dl>
      )}
    </>
  );
}

function Line({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-6 items-center justify-between gap-3">
      <dt className="shrink-0 text-muted">{title}</dt>
      <dd className="min-w-0 text-right">{children}</dd>
    </div>
  );
}
