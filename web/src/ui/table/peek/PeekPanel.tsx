import { ChevronDown, ChevronUp, Ellipsis, X } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { TipArea } from "#ui/table/cells/TipArea.tsx";
import type { Column, RowAction } from "#ui/table/column.ts";
import { RowDetail } from "#ui/table/rows/RowDetail.tsx";
import { actionsOf } from "#ui/table/rows/RowMenu.tsx";
import { isCommand, isTyping } from "#ui/table/tools/command-keys.ts";
import { useWide } from "#ui/table/use-browser.ts";
import { useSidePlace } from "#ui/layout/SidePlace.tsx";
import type { Peek } from "./use-peek.ts";

/** The number of actions that stand as buttons; the others are in a menu. */
const buttonsMax = 2;

type PeekPanelProps<Row> = {
  readonly peek: Peek<Row>;
  readonly id: string;
  readonly name: (row: Row) => string;
  /** The number of records of the list; null: unknown. */
  readonly total: number | null;
  readonly columns: readonly Column<Row>[];
  readonly actions: readonly RowAction<Row>[];
  readonly expand: ((row: Row) => ReactNode) | undefined;
};

/**
 * A record beside its list. On a wide window the list stays usable, on a phone the record covers
 * it. `j` and `k` show the next and the previous record, `e` edits, Escape closes.
 */
export function PeekPanel<Row>(props: PeekPanelProps<Row>) {
  const { peek, id, name } = props;
  const t = useT();
  const wide = useWide();
  const place = useSidePlace();
  const [frame, setFrame] = useState<HTMLElement | null>(null);
  usePeekKeys(props, frame);
  useRowFocus(id, frame);
  const title = peek.row === undefined ? t("table.peekGone") : name(peek.row);
  if (!wide) {
    return (
      <Sheet
        open
        onClose={peek.close}
        title={title}
        description={<PeekPlace {...props} />}
        footer={<Steps peek={peek} />}
      >
        <PeekBody {...props} />
      </Sheet>
    );
  }
  if (place === null) return null;
  return createPortal(
    <aside
      ref={setFrame}
      tabIndex={-1}
      aria-label={t("table.peekOf", { name: title })}
      aria-busy={peek.isTurning}
      data-peek={id}
      className="flex h-full w-110 min-w-0 flex-col bg-panel transition-[translate,opacity] outline-none starting:translate-x-4 starting:opacity-0"
    >
      <header className="flex shrink-0 items-start gap-1 border-b border-line py-2 pr-2 pl-4">
        <div className="min-w-0 flex-1 py-1" aria-live="polite">
          <h2 dir="auto" className="truncate font-semibold" title={title}>
            {title}
          </h2>
          <p className="text-xs text-muted tabular-nums">
            <PeekPlace {...props} />
          </p>
        </div>
        <Steps peek={peek} />
        <IconButton
          label={t("table.peekClose")}
          icon={<X size={16} aria-hidden />}
          onClick={peek.close}
        />
      </header>
      <div className="@container min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 py-4">
        <PeekBody {...props} />
      </div>
    </aside>,
    place,
  );
}

function PeekPlace<Row>({ peek, total }: PeekPanelProps<Row>) {
  const t = useT();
  if (peek.place === null) return null;
  const place = peek.place.toLocaleString();
  return total === null
    ? t("table.peekPlace", { place })
    : t("table.peekPlaceOf", { place, total: total.toLocaleString() });
}

function Steps<Row>({ peek }: { readonly peek: Peek<Row> }) {
  const t = useT();
  return (
    <>
      <IconButton
        label={t("table.peekPrevious")}
        icon={<ChevronUp size={16} aria-hidden />}
        disabled={peek.previous === undefined}
        onClick={peek.previous}
      />
      <IconButton
        label={t("table.peekNext")}
        icon={<ChevronDown size={16} aria-hidden />}
        disabled={peek.next === undefined}
        onClick={peek.next}
      />
    </>
  );
}

function PeekBody<Row>(props: PeekPanelProps<Row>) {
  const { row } = props.peek;
  const t = useT();
  if (row === undefined) {
    return (
      <Empty
        picture="lost"
        title={t("table.peekGone")}
        description={t("table.peekGoneText")}
        action={<Button onClick={props.peek.close}>{t("table.peekToList")}</Button>}
      />
    );
  }
  return (
    <TipArea>
      <div className="flex min-w-0 flex-col gap-4">
        <Actions row={row} actions={props.actions} />
        <RowDetail row={row} columns={props.columns}>
          {props.expand?.(row)}
        </RowDetail>
      </div>
    </TipArea>
  );
}

function Actions<Row>(props: { readonly row: Row; readonly actions: readonly RowAction<Row>[] }) {
  const { row } = props;
  const t = useT();
  const actions = actionsOf(props.actions, row);
  if (actions.length === 0) return null;
  const rest = actions.slice(buttonsMax);
  return (
    <div className="flex flex-wrap gap-2">
      {actions.slice(0, buttonsMax).map((action) => (
        <Button
          key={action.key}
          size="sm"
          disabled={action.disabled?.(row) !== undefined}
          onClick={() => action.onSelect(row)}
        >
          {action.label}
        </Button>
      ))}
      {rest.length > 0 && (
        <Menu
          trigger={
            <IconButton
              size="sm"
              variant="default"
              label={t("table.peekMore")}
              icon={<Ellipsis size={16} aria-hidden />}
            />
          }
          items={rest.map((action) => ({
            key: action.key,
            label: action.label,
            icon: action.icon,
            tone: action.tone,
            disabled: action.disabled?.(row),
            onSelect: () => action.onSelect(row),
          }))}
        />
      )}
    </div>
  );
}

/** The keys of the open record. They do nothing while the user types or a dialog is open. */
function usePeekKeys<Row>({ peek, actions }: PeekPanelProps<Row>, frame: HTMLElement | null): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    // On a phone the record is itself a dialog, which counts as covering the page.
    const isOurs = frame === null ? isPlainKey(event) : isCommand(event);
    if (!isOurs) return;
    if (event.key === "j") peek.next?.();
    else if (event.key === "k") peek.previous?.();
    else if (event.key === " " && event.target === frame) peek.close();
    else if (event.key === "e" && peek.row !== undefined) {
      const { row } = peek;
      const edit = actionsOf(actions, row).find(({ key }) => key === "edit");
      if (edit?.disabled?.(row) === undefined) edit?.onSelect(row);
    } else return;
    event.preventDefault();
  });
  useEffect(() => {
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

function isPlainKey(event: KeyboardEvent): boolean {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;
  const isOnTop = document.querySelectorAll("[role=dialog], [role=alertdialog]").length === 1;
  return isPlain && isOnTop && !isTyping(event.target);
}

/**
 * Takes the focus when the record opens, keeps the record's row in sight, and gives the focus to
 * that row when the record is closed.
 */
function useRowFocus(id: string, frame: HTMLElement | null): void {
  const shown = useRef(id);
  useEffect(() => {
    shown.current = id;
    rowOf(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);
  useEffect(() => {
    if (frame === null) return undefined;
    frame.focus({ preventScroll: true });
    return () => {
      // The removed panel has lost the focus, unless the user had moved it elsewhere before.
      const focused = document.activeElement;
      if (focused !== null && focused !== document.body && !frame.contains(focused)) {
        return;
      }
      // Found now, because after leaving the screen another list may have a row with this id.
      const row = rowOf(shown.current);
      requestAnimationFrame(() => row?.focus({ preventScroll: true }));
    };
  }, [frame]);
}

function rowOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
}
