/** Money's end of a call: whatever happens, what was held is settled or released, once. */

import { charge, type UnitPrice } from "contract/charge.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { Hold, RelayDeps, Settled } from "./deps.ts";
import type { Ticker, Ticking } from "./ticker.ts";

/** How long an answer waits for its bill to be written. The bill itself waits for ever. */
export const settleWaitMs = 10_000;

/** The hold of one call and its one end. */
export type Bill = {
  readonly hold: Hold;
  isOpen(): boolean;
  /**
   * Charges what was used.
   *
   * @returns whether it was written in time; if not it is still going to be.
   */
  settle(price: UnitPrice, log: ChargedCallLog): Promise<"pending" | "settled">;
  /** Gives everything back, unless the bill has had its end. */
  release(): void;
};

type BillDeps = Pick<RelayDeps, "log" | "metrics" | "ticker">;

export function openBill(deps: BillDeps, hold: Hold): Bill {
  let open = true;
  return {
    hold,
    isOpen: () => open,
    async settle(price, log) {
      if (!open) throw new Error(`call ${log.requestId} was settled before`);
      const amount = charge(price, log.usage);
      open = false;
      const startedMs = deps.ticker.nowMs();
      const ending = await within(deps.ticker, settleWaitMs, hold.settle({ charge: amount, log }));
      deps.metrics.settleLag(deps.ticker.nowMs() - startedMs);
      if (ending.kind === "settled" && ending.settled.writeOff === 0) return "settled";
      return report(deps, log.requestId, ending);
    },
    release() {
      if (!open) return;
      open = false;
      hold.release();
    },
  };
}

type Ending =
  | { readonly kind: "settled"; readonly settled: Settled }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "late" };

function report(deps: BillDeps, requestId: string, ending: Ending): "pending" | "settled" {
  switch (ending.kind) {
    case "settled":
      deps.log.warn({ requestId, writeOff: ending.settled.writeOff }, "written off");
      return "settled";
    case "late":
      deps.log.error({ requestId }, "a settlement waits for the store");
      return "pending";
    case "failed":
      deps.log.error({ err: ending.error, requestId }, "a settlement failed");
      return "pending";
  }
}

/** Never rejects, and no rejection that comes later goes unheard. */
async function within(ticker: Ticker, ms: number, settling: Promise<Settled>): Promise<Ending> {
  return await new Promise((resolve) => {
    const dueMs = ticker.nowMs() + ms;
    const ticking: Ticking = {
      tick(nowMs) {
        if (nowMs >= dueMs) end({ kind: "late" });
      },
    };
    const end = (ending: Ending): void => {
      ticker.remove(ticking);
      resolve(ending);
    };
    ticker.add(ticking);
    settling.then(
      (settled) => end({ kind: "settled", settled }),
      (error: unknown) => end({ kind: "failed", error }),
    );
  });
}
