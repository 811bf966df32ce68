/** Whether the command palette is open, for the several places that open it. */

import { openStore } from "#api/store.ts";
import { hasOpenFrame } from "#ui/overlays/frames.ts";

type PaletteState = {
  readonly open: boolean;
  /** Grows with each opening: every one begins anew. */
  readonly opening: number;
  /** What stands in the field at first. */
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

/** Opens and closes the palette with Ctrl or ⌘ K from now on; the answer ends that. */
export function followPaletteKey(): () => void {
  window.addEventListener("keydown", answerKey);
  return () => window.removeEventListener("keydown", answerKey);
}

function answerKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event;
  if (key.toLowerCase() !== "k" || ctrlKey === metaKey || altKey || shiftKey || isComposing) return;
  const { open } = store.read();
  // A sheet or dialog asks something: it is answered first.
  if (!open && hasOpenFrame()) return;
  event.preventDefault();
  if (open) closePalette();
  else openPalette();
}

/** How the key is called on this machine. */
export function paletteKey(): string {
  return /mac|iphone|ipad/i.test(navigator.platform) ? "⌘ K" : "Ctrl K";
}
