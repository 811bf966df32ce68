/**
 * Simulated time. Events run in the order of the clock, and chance decides between events of the
 * same millisecond. Nothing else runs in between.
 */

import { drainMicrotasks } from "bun:jsc";
import type { Random } from "#base/testing/random.ts";

export type Schedule = {
  /** Milliseconds since the world began, never 0. */
  readonly now: () => number;
  after(ms: number, run: () => void): void;
  /**
   * Runs the next event and the promises that it resolves. Returns false when there is no event.
   */
  step(): boolean;
};

type Event = { readonly at: number; readonly tie: number; readonly run: () => void };

/** Start of a world's clock. Not 0, because a process's own clock never shows 0. */
const startMs = 1_000;

export function openSchedule(random: Random): Schedule {
  /** A binary heap, the next event first. */
  const heap: Event[] = [];
  let now = startMs;

  function after(ms: number, run: () => void): void {
    const event = { at: now + ms, tie: random.between(0, 1_000_000), run };
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(event, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = event;
  }

  function takeFirst(): Event | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      let child = heap[below];
      if (child === undefined) break;
      const right = heap[below + 1];
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        below += 1;
      }
      if (!isBefore(child, last)) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = last;
    return first;
  }

  return {
    now: () => now,
    after,
    step() {
      const event = takeFirst();
      if (event === undefined) return false;
      now = event.at;
      event.run();
      drainMicrotasks();
      return true;
    },
  };
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.tie < other.tie);
}
