import { ArrowDown, ArrowUp, GripVertical, Keyboard } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { flushSync } from "react-dom";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Kbd } from "#ui/layout/Kbd.tsx";
import {
  type Arranged,
  arrangeColumns,
  choiceOf,
  moveColumn,
  primaryId,
} from "./arrange-columns.ts";
import type { ToolProps } from "#ui/table/tools/ListTools.tsx";
import { changeTableSettings, densities, type Density } from "#ui/table/views/table-settings.ts";
import { ToolPopup } from "#ui/table/tools/ToolPopup.tsx";

/** A popup to choose the order and visibility of columns, and the density of rows. */
export function DisplayPopup(props: ToolProps) {
  const { id, anchor, onClose, settings } = props;
  const t = useT();
  const names: Readonly<Record<Density, string>> = {
    comfortable: t("table.densityComfortable"),
    compact: t("table.densityCompact"),
  };
  return (
    <ToolPopup
      anchor={anchor}
      title={t("ui.tableDisplay")}
      onClose={onClose}
      action={
        <Button
          size="sm"
          variant="ghost"
          disabled={settings.columns === null}
          onClick={() => changeTableSettings(id, { columns: null })}
        >
          {t("table.columnsReset")}
        </Button>
      }
    >
      <ColumnList {...props} />
      <div className="flex items-center justify-between gap-3 border-t border-line px-3 py-2 text-sm max-md:hidden">
        {t("table.density")}
        <Segmented
          aria-label={t("table.density")}
          items={densities.map((value) => ({ value, label: names[value] }))}
          value={settings.density}
          onChange={(density) => changeTableSettings(id, { density })}
        />
      </div>
      <div className="border-t border-line p-1 max-md:hidden">
        <button
          type="button"
          className="popup-item w-full hover:bg-hover focus-visible:bg-hover"
          onClick={() => {
            onClose();
            props.onHelp();
          }}
        >
          <Keyboard size={14} aria-hidden />
          <span className="flex-1 text-left">{t("table.shortcuts")}</span>
          <Kbd>?</Kbd>
        </button>
      </div>
    </ToolPopup>
  );
}

type Named = ToolProps["columns"][number];

function ColumnList({ id, columns, settings }: ToolProps) {
  const t = useT();
  const [dragged, setDragged] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const arranged = arrangeColumns(columns, settings.columns);
  const save = (next: readonly Arranged<Named>[]) =>
    changeTableSettings(id, { columns: choiceOf(columns, next) });
  const move = (column: Named, by: number) => {
    const next = moveColumn(arranged, column.id, by);
    const focused = document.activeElement;
    // Draws immediately and then sets the focus again, because moving an element in the page takes
    // the focus from it.
    flushSync(() => save(next));
    if (focused instanceof HTMLElement) focused.focus();
    const place = next.findIndex((each) => each.column === column) + 1;
    setSaid(t("table.columnMoved", { name: column.title, place, count: next.length }));
  };
  return (
    <>
      <p className="px-3 pt-2 text-xs text-muted max-md:hidden">{t("table.columnsHelp")}</p>
      <ul aria-label={t("table.columns")} className="flex flex-col p-1">
        {arranged.map(({ column, shown }, index) => (
          <ColumnLine
            key={column.id}
            title={column.title}
            shown={shown}
            locked={column.id === primaryId(columns)}
            first={index === 0}
            last={index === arranged.length - 1}
            onShow={(next) =>
              save(
                arranged.map((each) => (each.column === column ? { column, shown: next } : each)),
              )
            }
            onMove={(by) => move(column, by)}
            onDragStart={() => setDragged(column.id)}
            onDragOver={() => {
              const from = arranged.findIndex((each) => each.column.id === dragged);
              if (from >= 0 && from !== index) {
                save(moveColumn(arranged, dragged ?? "", index - from));
              }
            }}
            onDragEnd={() => setDragged(null)}
          />
        ))}
      </ul>
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  );
}

function ColumnLine(props: {
  readonly title: string;
  readonly shown: boolean;
  /** Whether the column cannot be hidden, because it names the record. */
  readonly locked: boolean;
  readonly first: boolean;
  readonly last: boolean;
  readonly onShow: (shown: boolean) => void;
  readonly onMove: (by: number) => void;
  readonly onDragStart: () => void;
  readonly onDragOver: () => void;
  readonly onDragEnd: () => void;
}) {
  const { title, shown, locked, first, last, onMove } = props;
  const t = useT();
  const key = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    onMove(event.key === "ArrowUp" ? -1 : 1);
  };
  return (
    <li
      draggable
      className="flex items-center gap-1 rounded-inner pl-1 hover:bg-hover"
      onKeyDown={key}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", title);
        props.onDragStart();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        props.onDragOver();
      }}
      onDragEnd={props.onDragEnd}
    >
      <GripVertical
        size={14}
        aria-hidden
        className="shrink-0 cursor-grab text-mark max-md:hidden"
      />
      <span className="min-w-0 flex-1 text-sm">
        <Checkbox
          checked={shown}
          disabled={locked}
          label={<span className="wrap-anywhere">{title}</span>}
          onChange={props.onShow}
        />
      </span>
      <IconButton
        size="sm"
        label={t("table.columnUp", { name: title })}
        icon={<ArrowUp size={14} aria-hidden />}
        aria-disabled={first || undefined}
        onClick={() => onMove(-1)}
      />
      <IconButton
        size="sm"
        label={t("table.columnDown", { name: title })}
        icon={<ArrowDown size={14} aria-hidden />}
        aria-disabled={last || undefined}
        onClick={() => onMove(1)}
      />
    </li>
  );
}
