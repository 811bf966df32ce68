import { useSyncExternalStore } from "react";

/**
 * From this width on, a list is drawn as a table, below it as cards. It is Tailwind's breakpoint
 * `md`.
 */
const wideQuery = "(min-width: 768px)";

/** Whether the window is wide enough for a table. */
export function useWide(): boolean {
  return useSyncExternalStore(subscribeWide, () => matchMedia(wideQuery).matches);
}

function subscribeWide(listener: () => void): () => void {
  const media = matchMedia(wideQuery);
  media.addEventListener("change", listener);
  return () => media.removeEventListener("change", listener);
}

/** Whether the browser is online. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribeOnline, () => navigator.onLine);
}

function subscribeOnline(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}
