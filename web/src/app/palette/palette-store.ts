/** Whether the command palette is open; several places open it. */

import { openStore } from "#api/store.ts";
import { countFrames } from "#ui/overlays/frames.ts";
import { openRecordStore } from "#widgets/commands/record-commands.ts";

type PaletteState = {
  readonly open: boolean;
  /** Grows with each opening, so that every opening starts empty. */
  readonly opening: number;
  /** The text in the field at first. */
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

/** Ctrl or ⌘ K opens and closes the palette. Returns the function that ends that. */
export function followPaletteKey(): () => void {
  window.addEventListener("keydown", answerKey);
  return () => window.removeEventListener("keydown", answerKey);
}

function answerKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event;
  if (key.toLowerCase() !== "k" || ctrlKey === metaKey || altKey || shiftKey || isComposing) return;
  const { open } = store.read();
  // An open sheet or dialog has to be answered first. The palette opens only above the sheet of a
  // record, because it has commands for that record.
  const allowed = openRecordStore.read() === null ? 0 : 1;
  if (!open && countFrames() > allowed) return;
  event.preventDefault();
  if (open) closePalette();
  else openPalette();
}

/** The name of the shortcut on this machine. */
export function paletteKey(): string {
  return /mac|iphone|ipad/i.test(navigator.platform) ? "⌘ K" : "Ctrl K";
}
