import { type RefObject, useLayoutEffect, useMemo, useState } from "react";
import type { Column, RowAction } from "#ui/table/column.ts";
import { visibleActionsMax } from "#ui/table/cells/row-look.ts";
import { type Fit, fitColumns } from "./fit-columns.ts";
import { guessTextWidth } from "./text-width.ts";

/** Pixels of the columns that a table adds, as their classes say. */
const selectWidth = 36;
const unfoldWidth = 32;

/** The padding at both sides of a cell, and the icon of a head that sorts. */
const cellPadding = 24;
const sortIconWidth = 18;

/** Pixels: the padding of an action's label, the menu's button, and the padding of their cell. */
const actionPadding = 16;
const menuButtonWidth = 28;
const actionsPadding = 20;

/** The column of actions among the measured ones; no column of a screen has this id. */
const actionsId = "@actions";

type Needs = ReadonlyMap<string, number>;

/**
 * The widths that columns needed so far, by table, language and density, so that a list has its
 * columns immediately when it is opened again. They only grow, so that columns do not appear and
 * disappear from page to page.
 */
const seen = new Map<string, Needs>();

/** The width of the last table, for the first drawing of the next one. */
let lastRoom = 0;

const nothing: Needs = new Map();

/**
 * The columns that have room in the table of `area`, by their rank. Columns that are too wide are
 * found before they are seen: widths are read from the heads, never from rows, after the rows have
 * changed or the window has.
 */
export function useFittingColumns<Row>(props: {
  readonly id: string;
  readonly columns: readonly Column<Row>[];
  readonly area: RefObject<HTMLElement | null>;
  readonly selectable: boolean;
  /** Rows can be unfolded even if all columns fit. */
  readonly expandable: boolean;
  readonly actions: readonly RowAction<Row>[];
  readonly density: string;
  /** A value that changes whenever the rows do. */
  readonly rows: unknown;
}): Fit<Column<Row>> {
  const { columns, area, selectable, expandable, actions, rows } = props;
  const key = `${props.id} ${document.documentElement.lang} ${props.density}`;
  const [room, setRoom] = useState(lastRoom);
  const [learnt, learn] = useState({ key, needs: seen.get(key) ?? nothing });
  const needs = learnt.key === key ? learnt.needs : (seen.get(key) ?? nothing);
  const fit = useMemo((): Fit<Column<Row>> => {
    // Unknown, and unlimited where nothing has a layout.
    if (room === 0) return { fitting: columns, left: [] };
    const taken =
      (selectable ? selectWidth : 0) +
      (expandable ? unfoldWidth : 0) +
      (actions.length === 0 ? 0 : (needs.get(actionsId) ?? guessActions(actions)));
    return fitColumns({
      columns,
      room: room - taken,
      widthOf: (column) => needs.get(column.id) ?? guessColumn(column),
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
      // Only a table that is too wide has columns as narrow as they can be.
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

/** The needs with those of the heads that are wider; null: none is. */
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

function guessColumn({ title, width, sort }: Column<never>): number {
  const head = guessTextWidth(title) + cellPadding + (sort === true ? sortIconWidth : 0);
  return Math.max(width, head);
}

function guessActions(actions: readonly RowAction<never>[]): number {
  const words = actions.slice(0, visibleActionsMax).map(({ label }) => guessTextWidth(label));
  const buttons = words.reduce((sum, width) => sum + width + actionPadding, actionsPadding);
  return buttons + (actions.length > visibleActionsMax ? menuButtonWidth : 0);
}
