/** One clock for everything on a page that says how long ago; it stands while nobody looks. */

/** Between its steps. */
export const stepSeconds = 10;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowSeconds = 0;

/** Unix seconds, as of the last step. */
export function readClock(): number {
  // Without a step running, nobody has been told a time that must stay the same.
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
