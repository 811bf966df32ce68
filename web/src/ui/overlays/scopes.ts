/** The open `DialogScope`s. The innermost one has to draw the next question. */

import type { ReactNode } from "react";
import type { ConfirmQuestion } from "./ConfirmDialog.tsx";

export type Scope = {
  /** The number of scopes around this one. */
  readonly depth: number;
  readonly confirm: (question: ConfirmQuestion) => Promise<boolean>;
  /**
   * Draws a dialog above everything that is open; null removes the dialog. When the scope closes,
   * its dialog is removed, too.
   */
  readonly draw: (dialog: ReactNode) => void;
  /**
   * Shows a text selected, so that the user can copy it where the browser refuses the clipboard.
   */
  readonly showToCopy: (text: string) => void;
};

const open: Scope[] = [];

export function openScope(scope: Scope): void {
  open.push(scope);
}

export function closeScope(scope: Scope): void {
  const place = open.indexOf(scope);
  if (place >= 0) open.splice(place, 1);
}

/** Returns the innermost open scope; of several at the same depth the one opened last. */
export function topScope(): Scope {
  let top: Scope | undefined;
  for (const scope of open) {
    if (top === undefined || scope.depth >= top.depth) top = scope;
  }
  if (top === undefined) throw new Error("KitRoot must stand around every part of the kit");
  return top;
}
