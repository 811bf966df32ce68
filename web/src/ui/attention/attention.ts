/**
 * What the tab of the browser says while the user is elsewhere: that something is running, and how
 * many failures have not been seen.
 */

import { useEffect, useSyncExternalStore } from "react";

export type Attention = {
  /** The number of jobs that are running. */
  readonly running: number;
  /** The number of failures since the user last looked at the page. */
  readonly unread: number;
};

/** Unread failures are counted up to this number. */
const unreadMax = 99;

const running = new Set<symbol>();
const unread = new Set<string>();
const listeners = new Set<() => void>();
let shown: Attention = { running: 0, unread: 0 };

/** Notes a failure, unless the user sees the page. The same `key` counts once. */
export function noteFailure(key: string): void {
  if (document.visibilityState === "visible" || unread.size >= unreadMax) return;
  unread.add(key);
  tell();
}

/** Shows in the tab that something is running, as long as it does. */
export function useRunning(isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return undefined;
    const job = Symbol("job");
    running.add(job);
    tell();
    return () => {
      running.delete(job);
      tell();
    };
  }, [isRunning]);
}

export function useAttention(): Attention {
  return useSyncExternalStore(subscribe, () => shown);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener("visibilitychange", look);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) document.removeEventListener("visibilitychange", look);
  };
}

/** The user looks at the page: every failure counts as seen. */
function look(): void {
  if (document.visibilityState !== "visible" || unread.size === 0) return;
  unread.clear();
  tell();
}

function tell(): void {
  shown = { running: running.size, unread: unread.size };
  for (const listener of listeners) listener();
}

/** The title of the tab: the number of unread failures or, without any, a mark of what runs. */
export function tabTitle(title: string, { running: jobs, unread: failures }: Attention): string {
  if (failures > 0) return `(${failures}) ${title}`;
  return jobs > 0 ? `⟳ ${title}` : title;
}
