/** The actions on the record that is open in a sheet. The command palette offers them. */

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
  /** The record's name as people know it, such as a channel's name. */
  readonly name: string;
  readonly commands: readonly RecordCommand[];
};

const store = openStore<OpenRecord | null>(null);

/** The record that is open in a sheet; null: none is. */
export const openRecordStore = { subscribe: store.subscribe, read: store.read };

/**
 * Makes the command palette offer a list's row actions for its open record. The action "edit" is
 * left out, because the sheet is the editor.
 *
 * @param row the open record; undefined: none is open, or it is not loaded yet.
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
