/**
 * The New Year effect: on 1 January confetti for 3 s at the first load of the day, and one reload
 * of the page 10 s after it.
 */

import { storageKey } from "#page/base-path.ts";

const shownKey = storageKey("new-year-shown");

export const effectMs = 3_000;
const reloadMs = 10_000;

/** Whether the effect is to be shown now: on 1 January, once a year in each browser. */
export function isNewYearDue(now: Date): boolean {
  const isNewYear = now.getMonth() === 0 && now.getDate() === 1;
  return isNewYear && localStorage.getItem(shownKey) !== String(now.getFullYear());
}

export function keepNewYearShown(now: Date): void {
  localStorage.setItem(shownKey, String(now.getFullYear()));
}

/**
 * Reloads the page after a delay, unless the reload would lose typed text. Returns the function
 * that cancels it.
 */
export function reloadLater(reload: () => void): () => void {
  const timer = setTimeout(() => {
    // Finds out whether typed text would be lost: forms with unsaved changes cancel this event.
    const leaving = new Event("beforeunload", { cancelable: true });
    if (window.dispatchEvent(leaving)) reload();
  }, reloadMs);
  return () => clearTimeout(timer);
}
