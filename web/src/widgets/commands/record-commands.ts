/** The actions on the record whose sheet is open, which the command palette offers. */

import { type ReactNode, useEffect, useMemo } from "react";
import { openStore } from "#api/store.ts";
import type { RowAction } from "#ui/table/column.ts";

type RecordCommand = {
  readonly key: string;
  readonly label: string;
  readonly icon?: ReactNode;
  readonly onSelect: () => void;
};

type OpenRecord = {
  /** A text for people to read. */
  readonly name: string;
  readonly commands: readonly RecordCommand[];
};

const store = openStore<OpenRecord | null>(null);

/** Null: no sheet of a record is open. */
export const openRecordStore = { subscribe: store.subscribe, read: store.read };

/**
 * Offers the row actions of a list for its open record; undefined: no record is open, or it is not
 * loaded. "Edit" is left out, because the sheet is the editor.
 */
export function useRecordCommands<Row>(
  row: Row | undefined,
  name: string,
  actions: readonly RowAction<Row>[],
): void {
  const record = useMemo(
    () => (row === undefined ? null : { name, commands: commandsOf(row, actions) }),
    [row, name, actions],
  );
  useEffect(() => {
    store.write(record);
    return () => store.write(null);
  }, [record]);
}

export function commandsOf<Row>(row: Row, actions: readonly RowAction<Row>[]): RecordCommand[] {
  return actions
    .filter(({ key, shown, disabled }) => {
      return key !== "edit" && (shown?.(row) ?? true) && disabled?.(row) === undefined;
    })
    .map(({ key, label, icon, onSelect }) => ({ key, label, icon, onSelect: () => onSelect(row) }));
}
