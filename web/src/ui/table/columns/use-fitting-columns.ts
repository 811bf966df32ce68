import { type RefObject, useLayoutEffect, useMemo, useState } from "react";
import type { Column, RowAction } from "#ui/table/column.ts";
import { type Fit, fitColumns } from "./fit-columns.ts";

/** In pixels: the widths of the columns that a table adds, as their CSS classes set them. */
const selectWidth = 36;
const unfoldWidth = 32;

/** The id of the actions' column among the measured widths; no column of a screen has it. */
const actionsId = "@actions";

type Needs = ReadonlyMap<string, number>;

/**
 * The measured widths of columns, by table, language and density, so that a list that is opened
 * again has the right columns immediately. They only grow; otherwise columns would appear and
 * disappear from page to page.
 */
const seen = new Map<string, Needs>();

/**
 * The width that the last table had, in pixels, with which the next table is first drawn; 0: no
 * table was drawn yet.
 */
let lastRoom = 0;

const nothing: Needs = new Map();

/**
 * Chooses the columns that have room in the table inside `area`, by their rank. It runs before the
 * browser paints, so a column that is too wide is never seen. It reads widths from the head cells,
 * never from rows, when the rows or the window have changed.
 */
export function useFittingColumns<Row>(props: {
  readonly id: string;
  readonly columns: readonly Column<Row>[];
  readonly area: RefObject<HTMLElement | null>;
  readonly selectable: boolean;
  /** Whether rows can be unfolded even if all columns fit. */
  readonly expandable: boolean;
  readonly actions: readonly RowAction<Row>[];
  readonly density: string;
  /** A value that changes whenever the rows change, so that the widths are read again. */
  readonly rows: unknown;
}): Fit<Column<Row>> {
  const { columns, area, selectable, expandable, actions, rows } = props;
  const key = `${props.id} ${document.documentElement.lang} ${props.density}`;
  const [room, setRoom] = useState(lastRoom);
  const [learnt, learn] = useState({ key, needs: seen.get(key) ?? nothing });
  const needs = learnt.key === key ? learnt.needs : (seen.get(key) ?? nothing);
  const fit = useMemo((): Fit<Column<Row>> => {
    // A width of 0 means that it is not known yet, or that there is no layout at all, as in
    // component tests.
    if (room === 0) return { fitting: columns, left: [] };
    const taken =
      (selectable ? selectWidth : 0) +
      (expandable ? unfoldWidth : 0) +
      (actions.length === 0 ? 0 : (needs.get(actionsId) ?? 0));
    return fitColumns({
      columns,
      room: room - taken,
      widthOf: (column) => needs.get(column.id) ?? column.width,
      unfoldWidth: expandable ? 0 : unfoldWidth,
    });
  }, [columns, room, selectable, expandable, actions, needs]);

  useLayoutEffect(() => {
    const table = area.current?.querySelector("table");
    const frame = table?.parentElement;
    if (table === null || table === undefined || !frame) return undefined;
    const look = () => {
      lastRoom = frame.clientWidth;
      setRoom(lastRoom);
      // Columns are measured only while the table is too wide, because only then each of them is as
      // narrow as its content allows.
      if (table.offsetWidth <= lastRoom) return;
      const more = grown(seen.get(key) ?? nothing, table);
      if (more === null) return;
      seen.set(key, more);
      learn({ key, needs: more });
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(frame);
    observer.observe(table);
    return () => observer.disconnect();
  }, [area, key, fit, rows]);
  return fit;
}

/**
 * Returns the known widths, enlarged to those of the head cells that are wider; null: none is
 * wider.
 */
function grown(before: Needs, table: HTMLElement): Needs | null {
  const needs = new Map(before);
  let isWider = false;
  for (const head of table.querySelectorAll<HTMLElement>("thead th[data-column]")) {
    const id = head.dataset["column"] ?? "";
    const width = Math.ceil(head.getBoundingClientRect().width);
    if (width <= (needs.get(id) ?? 0)) continue;
    needs.set(id, width);
    isWider = true;
  }
  return isWider ? needs : null;
}
