import { type RefObject, useEffect, useEffectEvent } from "react";
import { isCommand } from "#ui/table/tools/command-keys.ts";

/**
 * Handles the keys of a list: `j` and `k` move the focus between rows, `x` selects, Enter opens,
 * Space opens the record beside the list, `e` edits, `?` shows these keys. While a record is open
 * there, `j`, `k` and `e` are its own. Keys do nothing while the user types or something is open above
 * the list.
 */
export function useRowKeys(
  list: RefObject<HTMLElement | null>,
  commands: {
    readonly edit: (id: string) => void;
    readonly help: (() => void) | undefined;
    /** Opens or closes the record beside the list; absent: the list opens none there. */
    readonly peek: ((id: string) => void) | undefined;
    readonly isPeeking: boolean;
  },
): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (list.current === null || !isCommand(event)) return;
    const row = focusedRow(list.current);
    if (commands.isPeeking && ["j", "k", "e"].includes(event.key)) return;
    const done = runCommand(event, list.current, row, commands);
    if (done) event.preventDefault();
  });
  useEffect(() => {
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

function focusedRow(list: HTMLElement): HTMLElement | null {
  const row = document.activeElement?.closest<HTMLElement>("[data-row]") ?? null;
  return list.contains(row) ? row : null;
}

/** Runs the command of a key; false: the key is no command, or the command does not apply. */
function runCommand(
  { key, shiftKey }: KeyboardEvent,
  list: HTMLElement,
  row: HTMLElement | null,
  commands: Parameters<typeof useRowKeys>[1],
): boolean {
  switch (key) {
    case "j":
      return focusRow(list, row, 1);
    case "k":
      return focusRow(list, row, -1);
    case "x":
    case "X":
      return press(row?.querySelector("[data-select] input"), shiftKey);
    case " ": {
      const id = row === document.activeElement ? row?.dataset["row"] : undefined;
      if (id === undefined || commands.peek === undefined) return false;
      commands.peek(id);
      return true;
    }
    case "Enter":
      // Enter opens the record only when the row itself has the focus. If a button or link in the
      // row has it, the browser presses that.
      return row !== null && row === document.activeElement && press(opener(row));
    case "e":
      if (row?.dataset["row"] === undefined) return false;
      commands.edit(row.dataset["row"]);
      return true;
    case "?":
      commands.help?.();
      return commands.help !== undefined;
    default:
      return false;
  }
}

function focusRow(list: HTMLElement, row: HTMLElement | null, by: number): boolean {
  const rows = [...list.querySelectorAll<HTMLElement>("[data-row]")];
  const next = row === null ? rows.at(by > 0 ? 0 : -1) : rows[rows.indexOf(row) + by];
  if (next === undefined) return rows.length > 0;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

/**
 * Finds the button or link that opens the record or, if there is none, the one that unfolds the row. A
 * value in the row that filters the list does not open it.
 */
function opener(row: HTMLElement): Element | null {
  const named = row.querySelector("[data-opens], [data-primary] a");
  return named ?? row.querySelector("button[aria-expanded]");
}

function press(target: Element | null | undefined, shiftKey = false): boolean {
  if (target === null || target === undefined) return false;
  target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey }));
  return true;
}
