import { X } from "lucide-react";
import { useRef, useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import type { BulkAction, BulkResult } from "#ui/table/column.ts";

/**
 * All rows of the list that match the filters, on all pages; offered once every row of the page is
 * selected.
 */
export type Matching<Row> = {
  /** The number of matching rows that a bulk action would be applied to. */
  readonly count: number;
  /** Whether more rows match than one bulk action accepts. */
  readonly isCut: boolean;
  readonly chosen: boolean;
  readonly onChoose: () => void;
  readonly read: (signal: AbortSignal) => Promise<readonly Row[]>;
};

/**
 * A bar with the actions on the selected rows, floating above the lower end of the page. `always`:
 * it is there before a row is selected, too.
 */
export function BulkBar<Row>(props: {
  readonly selected: readonly Row[];
  /** How many records the selected rows stand for. */
  readonly count: number;
  readonly always?: boolean;
  /** Null: all matching rows are on this page, or not every row of the page is selected. */
  readonly matching: Matching<Row> | null;
  readonly actions: readonly BulkAction<Row>[];
  readonly onResult: (
    action: BulkAction<Row>,
    rows: readonly Row[],
    result: BulkResult | undefined,
  ) => void;
  /** Called to select nothing any more, and to leave the bar if it is always there. */
  readonly onClear: () => void;
}) {
  const { selected, count, always = false, matching, actions, onResult, onClear } = props;
  const t = useT();
  const [running, setRunning] = useState<string | null>(null);
  const reading = useRef<AbortController>(null);
  if (selected.length === 0 && !always) return null;

  const run = async (action: BulkAction<Row>) => {
    if (selected.length === 0) {
      toast({ tone: "warning", title: action.unselected ?? t("ui.tableSelectSome") });
      return;
    }
    setRunning(action.key);
    const controller = new AbortController();
    reading.current = controller;
    try {
      const rows = matching?.chosen === true ? await matching.read(controller.signal) : selected;
      const result = await action.onSelect(rows);
      if (result !== false) onResult(action, rows, typeof result === "object" ? result : undefined);
    } catch (error) {
      if (!controller.signal.aborted) toastError(error);
    } finally {
      setRunning(null);
    }
  };
  return (
    <div
      role="region"
      aria-label={t("ui.tableBulk")}
      className="pointer-events-none fixed inset-x-0 bottom-4 z-5 flex justify-center px-3 pb-[env(safe-area-inset-bottom)]"
    >
      <div
        ref={keepToastsAbove}
        className="pointer-events-auto flex max-w-full flex-wrap items-center gap-2 rounded border border-control bg-panel py-2 pr-2 pl-4"
      >
        <span role="status" className="mr-2 text-sm font-medium tabular-nums">
          {sayCount(count, matching, t)}
        </span>
        {matching?.chosen === false && (
          <Button size="sm" variant="ghost" onClick={matching.onChoose} disabled={running !== null}>
            {matching.isCut
              ? t("ui.tableSelectFirst", { total: showCount(matching.count) })
              : t("ui.tableSelectMatching", { total: showCount(matching.count) })}
          </Button>
        )}
        {actions.map((action) => (
          <Button
            key={action.key}
            size="sm"
            variant={action.tone === "danger" ? "danger" : "default"}
            icon={action.icon}
            loading={running === action.key}
            disabled={running !== null && running !== action.key}
            onClick={() => void run(action)}
          >
            {action.label}
          </Button>
        ))}
        <IconButton
          size="sm"
          label={selected.length === 0 ? t("ui.tableBulkEnd") : t("ui.tableSelectNone")}
          icon={<X size={16} aria-hidden />}
          onClick={() => {
            reading.current?.abort();
            onClear();
          }}
        />
      </div>
    </div>
  );
}

/** Tells the toasts how high the bar is: on a phone its buttons need several lines. */
function keepToastsAbove(bar: HTMLElement | null) {
  if (bar === null) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => {
    style.setProperty("--bulk-bar-height", `${bar.offsetHeight}px`);
  });
  observer.observe(bar);
  return () => {
    observer.disconnect();
    style.removeProperty("--bulk-bar-height");
  };
}

function sayCount<Row>(selected: number, matching: Matching<Row> | null, t: T): string {
  if (matching?.chosen !== true) return t("ui.tableSelected", { count: selected });
  const total = showCount(matching.count);
  return matching.isCut
    ? t("ui.tableSelectedFirst", { total })
    : t("ui.tableSelectedAll", { total });
}

function showCount(count: number): string {
  return count.toLocaleString("en-US");
}
