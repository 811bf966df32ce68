/** What follows the last word of a stream is of no use, but for the connection it came on. */

import type { Ticker, Ticking } from "./ticker.ts";
import type { TransportAnswer } from "./transport.ts";

/** How long the few bytes behind the closing word are waited for. */
const restMs = 1_000;
const restReadsMax = 16;

/** Reads what is behind the closing word, so that the connection can be used again. */
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
