/**
 * Chooses which reader answers a query. One is always there; a second one is started when the first
 * is busy for a while, so that short queries are answered while a long list is read. It ends when it
 * is idle: a thread with its engine takes about 15 MiB.
 */

import { TaskTooLong } from "#db/store-unavailable.ts";

export type Reader = {
  call(noun: string, name: string, input: readonly unknown[], maxMs?: number): Promise<unknown>;
  close(): Promise<void>;
  /** Returns how many calls are not answered yet. */
  waiting(): number;
};

/** How long the second reader may be idle before it ends, in milliseconds. */
const readerIdleMs = 30_000;

/**
 * How long queries wait for the first reader before a second one is started, in milliseconds. Short
 * queries that come at the same time, as at the start of the process, are answered sooner by one.
 */
const busyMs = 20;

/**
 * How long the first reader answers alone after a second one could not be started, in milliseconds,
 * as where the server has no connection left for it.
 */
const aloneMs = 5_000;

/** @param open starts the second reader. */
export function openReaders(
  first: Reader,
  open: () => Promise<Reader>,
  times = { busyMs, idleMs: readerIdleMs, aloneMs },
): Pick<Reader, "call" | "close"> {
  let second: Reader | null = null;
  let opening: Promise<void> | null = null;
  let isClosed = false;
  let isAlone = false;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let busy: ReturnType<typeof setTimeout> | undefined;
  /** Calls that wait until the second reader has started or the first is free. */
  const waiting: (() => void)[] = [];

  async function openSecond(): Promise<void> {
    try {
      second = await open();
    } catch {
      // The first reader answers alone. If the database is gone, it says so.
      isAlone = true;
      setTimeout(() => void (isAlone = false), times.aloneMs).unref();
    }
    opening = null;
    for (const go of waiting.splice(0)) go();
  }

  /** Returns no promise if a reader can answer at once, so that the next call finds it busy. */
  function choose(): Reader | Promise<Reader> {
    if (second !== null) return second.waiting() < first.waiting() ? second : first;
    if (first.waiting() === 0 || isClosed || isAlone) return first;
    busy ??= setTimeout(() => {
      busy = undefined;
      if (waiting.length > 0) opening ??= openSecond();
    }, times.busyMs);
    return new Promise<void>((resolve) => waiting.push(resolve)).then(choose);
  }

  function ended(): void {
    if (first.waiting() === 0) waiting.shift()?.();
    if (waiting.length === 0) stopWaiting();
    if (second === null) return;
    clearTimeout(idle);
    idle = setTimeout(endIdle, times.idleMs).unref();
  }

  function stopWaiting(): void {
    clearTimeout(busy);
    busy = undefined;
  }

  function endIdle(): void {
    const ending = second;
    if (ending === null || ending.waiting() > 0) return;
    second = null;
    void ending.close();
  }

  return {
    async call(...query) {
      const chosen = choose();
      const reader = chosen instanceof Promise ? await chosen : chosen;
      try {
        return await reader.call(...query);
      } finally {
        ended();
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      stopWaiting();
      await opening;
      await Promise.all([first.close(), second?.close()]);
    },
  };
}

/**
 * Opens a reader whose thread is replaced by a new one when it had to be ended, because a query kept
 * it. What waited behind that query is asked again, since a query changes nothing.
 *
 * @param open starts a thread, and is told how to say that it was ended.
 */
export async function openRenewed(open: (ended: () => void) => Promise<Reader>): Promise<Reader> {
  let isClosed = false;
  /** Whether the last thread could not be started. */
  let isMissing = false;
  /** Null while a thread starts. */
  let present: Reader | null = null;
  let opening: Promise<Reader> = renew();

  async function renew(): Promise<Reader> {
    present = null;
    const opened = await open(() => {
      if (!isClosed) restart();
    });
    present = opened;
    return opened;
  }

  function restart(): void {
    isMissing = false;
    opening = renew();
    // The next query meets the failure, and the one after it tries anew.
    opening.catch(() => void (isMissing = true));
  }

  await opening;
  return {
    async call(...query) {
      if (isMissing && !isClosed) restart();
      const asked = opening;
      try {
        // Without waiting, so that the next query finds the reader busy.
        return await (present ?? (await asked)).call(...query);
      } catch (error) {
        if (!(error instanceof TaskTooLong) || isClosed || opening === asked) throw error;
        return await (await opening).call(...query);
      }
    },
    async close() {
      isClosed = true;
      if (!isMissing) await (await opening).close();
    },
    // What asks while a thread starts waits for it.
    waiting: () => present?.waiting() ?? 1,
  };
}
