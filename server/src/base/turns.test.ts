import { expect, test } from "bun:test";
import { openTurns } from "./turns.ts";

/** Turns of an event loop that the test runs, and how many calls began in each. */
function openLoop() {
  let next: { readonly afterMs: number; readonly work: () => void } | undefined;
  let nowMs = 0;
  const begun: number[] = [0];
  const order: number[] = [];
  let calls = 0;
  const takeTurn = openTurns({
    toNextTurn: (work) => (next = { afterMs: 0, work }),
    by: (afterMs, work) => (next = { afterMs, work }),
  });

  /** Runs the turn that is scheduled. False: there is none. */
  async function turn(): Promise<boolean> {
    if (next === undefined) return false;
    const { afterMs, work } = next;
    next = undefined;
    nowMs += afterMs;
    begun.push(0);
    work();
    await Promise.resolve();
    return true;
  }

  return {
    begun,
    order,
    nowMs: () => nowMs,
    call(): void {
      const call = calls;
      calls += 1;
      const begin = (): void => {
        begun.push((begun.pop() ?? 0) + 1);
        order.push(call);
      };
      const waits = takeTurn();
      if (waits === undefined) begin();
      else void waits.then(begin);
    },
    turn,
    /** Runs turns until none is scheduled. */
    async run(): Promise<void> {
      while (await turn());
    },
  };
}

test("the calls of one screen begin without a pause, two in a turn", async () => {
  const loop = openLoop();
  for (let call = 0; call < 18; call += 1) loop.call();
  await loop.run();

  expect(loop.begun).toEqual([...Array.from({ length: 9 }, () => 2), 0]);
  expect(loop.nowMs()).toBe(0);
});

// P-L3: relayed calls are hardly slower while 300 people sign in at once.
test("of 300 simultaneous calls of the console one begins in a millisecond", async () => {
  const loop = openLoop();
  for (let call = 0; call < 300; call += 1) loop.call();
  await loop.run();

  expect(loop.begun.reduce((sum, count) => sum + count)).toBe(300);
  expect(Math.max(...loop.begun.slice(1, 280))).toBe(1);
  expect(loop.nowMs()).toBe(300 - 2 - 16);
});

test("a call that arrives while others wait begins after them", async () => {
  const loop = openLoop();
  for (let call = 0; call < 4; call += 1) loop.call();
  await loop.turn();
  loop.call();
  await loop.run();

  expect(loop.order).toEqual([0, 1, 2, 3, 4]);
});
