/** Where the focus goes when a sheet or dialog closes. */

/** How long the page may still replace the element that got the focus back, in milliseconds. */
const settleMs = 3_000;

/**
 * Returns the element that gets the focus: the one that had it before the frame opened. If what the
 * frame did has replaced it, as a first row replaces the button of an empty list, it is the button
 * with the same words, or else what comes first in the page's content; true: the dialog
 * library decides.
 */
export function returnPlace(before: HTMLElement | null): HTMLElement | true {
  // Nothing had it where a link to another screen opened the frame by its address.
  if (before === null) return successor("") ?? true;
  const words = wordsOf(before);
  const place = before.isConnected ? before : successor(words);
  if (place === undefined) return true;
  watch(place, words);
  return place;
}

/** Finds what stands for an element that is gone. */
function successor(words: string): HTMLElement | undefined {
  const main = document.querySelector<HTMLElement>("main");
  if (main === null) return undefined;
  const same = [...main.querySelectorAll<HTMLElement>("button, a")].find(
    (element) => words !== "" && wordsOf(element) === words,
  );
  return same ?? main;
}

function wordsOf(element: HTMLElement): string {
  return (element.getAttribute("aria-label") ?? element.textContent).trim();
}

/** Passes the focus on if the element that has it is removed while the page settles. */
function watch(place: HTMLElement, words: string): void {
  const observer = new MutationObserver(() => {
    if (place.isConnected) return;
    observer.disconnect();
    const focused = document.activeElement;
    if (focused === null || focused === document.body) {
      successor(words)?.focus({ preventScroll: true });
    }
  });
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), settleMs);
}
