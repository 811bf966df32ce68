/** The topmost sheet, dialog or page, which has to draw the next question. */

import type { ReactNode } from "react";
import type { ConfirmQuestion } from "./ConfirmDialog.tsx";

export type Scope = {
  /** Number of scopes around it. */
  readonly depth: number;
  readonly confirm: (question: ConfirmQuestion) => Promise<boolean>;
  /**
   * Draws a dialog above everything that is open; null removes it. It is also removed with this
   * scope.
   */
  readonly draw: (dialog: ReactNode) => void;
  /** Shows a text selected, for browsers that refuse the clipboard. */
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

/** The innermost scope, the latest of several. */
export function topScope(): Scope {
  let top: Scope | undefined;
  for (const scope of open) {
    if (top === undefined || scope.depth >= top.depth) top = scope;
  }
  if (top === undefined) throw new Error("KitRoot must stand around every part of the kit");
  return top;
}
