/**
 * Reads the few bytes that follow a stream's closing event, so that the connection can be used
 * again.
 */

import type { Ticker, Ticking } from "./ticker.ts";
import type { TransportAnswer } from "./answer.ts";

/** How long to wait for the rest of the stream. */
const restMs = 1_000;
const restReadsMax = 16;

/**
 * Reads and discards what is left of the answer, in the background. Cancels the answer if its end
 * does not arrive in time.
 */
export function discardRest(ticker: Ticker, answer: TransportAnswer): void {
  const dueMs = ticker.nowMs() + restMs;
  const ticking: Ticking = {
    tick(nowMs) {
      if (nowMs >= dueMs) answer.cancel();
    },
  };
  const read = async (): Promise<void> => {
    for (let reads = 0; reads < restReadsMax; reads += 1) {
      if (!((await answer.read()) instanceof Uint8Array)) return;
    }
    answer.cancel();
  };
  ticker.add(ticking);
  void read().finally(() => ticker.remove(ticking));
}
