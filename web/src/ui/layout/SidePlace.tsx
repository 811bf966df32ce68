import { useSyncExternalStore } from "react";

let place: HTMLElement | null = null;
const listeners = new Set<() => void>();

/**
 * The place beside the screen, where a list opens a record. Below 1280 px there is no room beside
 * the list, so the record covers a part of it.
 */
export function SidePlace() {
  return (
    <div
      ref={offerPlace}
      className="flex shrink-0 bg-panel not-empty:border-l max-xl:absolute max-xl:inset-y-0 max-xl:right-0 max-xl:z-10"
    />
  );
}

/** The element to draw into; null: there is none at the moment. */
export function useSidePlace(): HTMLElement | null {
  return useSyncExternalStore(subscribe, () => place);
}

function offerPlace(element: HTMLElement | null): () => void {
  place = element;
  tell();
  return () => {
    if (place !== element) return;
    place = null;
    tell();
  };
}

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
