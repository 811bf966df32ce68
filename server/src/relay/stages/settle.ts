/** Ends a call's hold, by a settlement or a release: exactly once, whatever happens. */

import { charge, type UnitPrice } from "@tollgate/contract/charge.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { Hold, RelayDeps, Settled } from "#relay/deps.ts";
import type { Ticking } from "#network/ticker.ts";

/**
 * How long an answer waits for its charge to be committed. The charge is committed later if that
 * takes longer.
 */
const settleWaitMs = 10_000;

/** The hold of one call, which is settled or released once. */
export type Bill = {
  readonly hold: Hold;
  isOpen(): boolean;
  /**
   * Charges the call's usage.
   *
   * @returns `pending` if the charge was not committed in time; it will be later.
   */
  settle(price: UnitPrice, log: ChargedCallLog): Promise<"pending" | "settled">;
  /** Releases the hold, unless it was settled or released before. */
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

/**
 * Waits for a settlement, up to the time limit. Never rejects: a failure is logged, even after the
 * wait.
 */
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
        log.error({ requestId }, "a settlement is not committed yet");
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
        if (writeOff > 0) log.warn({ requestId, writeOff }, "a charge was written off in part");
        end("settled");
      },
      (error: unknown) => {
        log.error({ err: error, requestId }, "a settlement failed");
        end("pending");
      },
    );
  });
}
