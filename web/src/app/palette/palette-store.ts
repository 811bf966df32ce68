/** Whether the command palette is open. A store, because several components open it. */

import { openStore } from "#api/store.ts";
import { countFrames } from "#ui/overlays/frames.ts";
import { openRecordStore } from "#widgets/commands/record-commands.ts";

type PaletteState = {
  readonly open: boolean;
  /**
   * Counts the openings. As the palette's React key, it removes the previous search at each
   * opening.
   */
  readonly opening: number;
  /** The text in the search field when the palette opens. */
  readonly text: string;
};

const store = openStore<PaletteState>({ open: false, opening: 0, text: "" });

export const paletteStore = { subscribe: store.subscribe, read: store.read };

export function openPalette(text = ""): void {
  const { open, opening } = store.read();
  if (!open) store.write({ open: true, opening: opening + 1, text });
}

export function closePalette(): void {
  store.write({ ...store.read(), open: false });
}

/**
 * Makes Ctrl K or ⌘ K open and close the palette. Returns the function that removes this shortcut.
 */
export function followPaletteKey(): () => void {
  window.addEventListener("keydown", answerKey);
  return () => window.removeEventListener("keydown", answerKey);
}

function answerKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event;
  if (key.toLowerCase() !== "k" || ctrlKey === metaKey || altKey || shiftKey || isComposing) return;
  const { open } = store.read();
  // While a sheet or dialog is open, the palette does not open above it. The sheet of a record is
  // the exception, because the palette has commands for that record.
  const allowed = openRecordStore.read() === null ? 0 : 1;
  if (!open && countFrames() > allowed) return;
  event.preventDefault();
  if (open) closePalette();
  else openPalette();
}

/** Returns the name of the palette's shortcut on this machine: with Ctrl or ⌘. */
export function paletteKey(): string {
  return /mac|iphone|ipad/i.test(navigator.platform) ? "⌘ K" : "Ctrl K";
}
