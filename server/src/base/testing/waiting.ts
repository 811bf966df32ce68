/** Functions that wait in tests: until something happens, or to show that it does not happen. */

/** Waits until `holds` returns true. The limit is generous; only a failing test reaches it. */
export async function eventually(holds: () => boolean, withinMs = 15_000): Promise<void> {
  for (const started = Date.now(); !holds(); await Bun.sleep(5)) {
    if (Date.now() - started > withinMs) throw new Error("it never came true");
  }
}

/**
 * Shows that something does not happen: `holds` is true all the time. No event announces an
 * absence, so a fixed wait is right here. On a busy machine it proves less, but never fails
 * wrongly.
 */
export async function staysTrue(holds: () => boolean, forMs: number): Promise<void> {
  for (const started = Date.now(); Date.now() - started < forMs; await Bun.sleep(5)) {
    if (!holds()) throw new Error(`no longer true after ${Date.now() - started} ms`);
  }
  if (!holds()) throw new Error(`no longer true after ${forMs} ms`);
}

/**
 * Waits until a number has not changed for 300 ms, which shows that the code that changes it is
 * waiting for something, too.
 */
export async function untilStill(read: () => number): Promise<void> {
  for (let before = NaN; before !== read(); await Bun.sleep(300)) before = read();
}

/**
 * Gives what was sent the time to arrive before the test sends more. If both arrive together
 * nevertheless, the test proves less, but never fails wrongly.
 */
export async function arrivesFirst(): Promise<void> {
  await Bun.sleep(20);
}
