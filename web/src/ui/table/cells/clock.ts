/** One clock for all relative times of a page. It stops while the page is hidden. */

/** Seconds between two updates of the clock. */
export const stepSeconds = 10;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowSeconds = 0;

/** Returns the time of the clock's last update, in Unix seconds. */
export function readClock(): number {
  // While the clock is stopped, no text shows its time, so reading may update it.
  if (timer === undefined) nowSeconds = Math.floor(Date.now() / 1000);
  return nowSeconds;
}

export function subscribeClock(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    nowSeconds = Math.floor(Date.now() / 1000);
    timer = setInterval(step, stepSeconds * 1000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function step(): void {
  if (document.hidden) return;
  nowSeconds = Math.floor(Date.now() / 1000);
  for (const listener of listeners) listener();
}
