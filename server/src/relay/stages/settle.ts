/** Money's end of a call: whatever happens, what was held is settled or released, once. */

import { charge, type UnitPrice } from "@tollgate/contract/charge.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { Hold, RelayDeps, Settled } from "#relay/deps.ts";
import type { Ticking } from "#network/ticker.ts";

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
    settle(price, log) {
      if (!open) throw new Error(`call ${log.requestId} was settled before`);
      const amount = charge(price, log.usage);
      open = false;
      return within(deps, log.requestId, hold.settle({ charge: amount, log }));
    },
    release() {
      if (!open) return;
      open = false;
      hold.release();
    },
  };
}

/** Never rejects, and no rejection that comes later goes unheard. */
function within(
  { log, metrics, ticker }: BillDeps,
  requestId: string,
  settling: Promise<Settled>,
): Promise<"pending" | "settled"> {
  return new Promise((resolve) => {
    const startedMs = ticker.nowMs();
    const ticking: Ticking = {
      tick(nowMs) {
        if (nowMs - startedMs < settleWaitMs) return;
        log.error({ requestId }, "a settlement waits for the store");
        end("pending");
      },
    };
    const end = (result: "pending" | "settled"): void => {
      ticker.remove(ticking);
      resolve(result);
    };
    ticker.add(ticking);
    settling.then(
      ({ writeOff }) => {
        metrics.settleLag(ticker.nowMs() - startedMs);
        if (writeOff > 0) log.warn({ requestId, writeOff }, "written off");
        end("settled");
      },
      (error: unknown) => {
        log.error({ err: error, requestId }, "a settlement failed");
        end("pending");
      },
    );
  });
}
