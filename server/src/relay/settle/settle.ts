/** Ends a call's hold, by a settlement or a release: exactly once, whatever happens. */

import { charge, type UnitPrice } from "@tollgate/contract/money/charge.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { Hold, Settlement } from "#ports/hold.ts";
import type { Bill, Billed } from "#relay/call/facts.ts";
import type { RelayDeps } from "#relay/deps.ts";

/**
 * How long an answer waits for its charge to be committed. The charge is committed later if that
 * takes longer.
 */
const settleWaitMs = 10_000;

/** The call whose hold is settled. */
type Billing = {
  readonly requestId: string;
  readonly price: UnitPrice;
  readonly bill: Bill;
  readonly credential: {
    readonly token: { readonly id: number };
    readonly pinnedChannelId: number | null;
  };
  readonly plan: { readonly dollar: number };
};

type SettleDeps = Pick<RelayDeps, "freezeToken" | "log" | "metrics" | "ticker">;

/**
 * A token is frozen when a call costs more than this many times what was held for it, and at least
 * a dollar: then an upstream's usage or a price is wrong, or somebody found a way around the holds.
 */
const overrunTimes = 10;

export function openBill(hold: Hold): Bill {
  return { hold, isOpen: true, inputBeyond: 0, charged: 0, answer: null, dueMs: Infinity };
}

/** Charges the call's usage, and waits until that is committed. Never rejects. */
export function settle(deps: SettleDeps, call: Billing, log: ChargedCallLog): Promise<Billed> {
  const { bill, price, requestId } = call;
  if (!bill.isOpen) throw new Error(`call ${requestId} was settled before`);
  const amount = charge(price, log.usage);
  bill.isOpen = false;
  if (amount >= call.plan.dollar) checkOverrun(deps, call, amount);
  const answered = new Promise<Billed>((resolve) => {
    bill.answer = resolve;
  });
  void commit(deps, call, { charge: amount, log });
  return answered;
}

/**
 * Freezes the token of a call that costs far more than it held. A call that an administrator sent
 * to one channel is a test of what that channel reports, so its token goes on.
 */
function checkOverrun(deps: SettleDeps, call: Billing, cost: number): void {
  const { bill, credential, requestId } = call;
  const tokenId = credential.token.id;
  const held = bill.hold.amount();
  if (tokenId === 0 || cost <= overrunTimes * held) return;
  deps.log.error({ requestId, tokenId, cost, held }, "a call cost far more than it held");
  if (credential.pinnedChannelId !== null) return;
  deps.freezeToken({ tokenId, requestId, cost, held });
}

/** Never rejects: a failure is logged, even after the wait. */
async function commit(
  { log, metrics, ticker }: SettleDeps,
  { bill, requestId }: Billing,
  settlement: Settlement,
): Promise<void> {
  const startedMs = ticker.nowMs();
  bill.dueMs = startedMs + settleWaitMs;
  try {
    const { charged, writeOff } = await bill.hold.settle(settlement);
    bill.charged = charged;
    metrics.settleLag(ticker.nowMs() - startedMs);
    if (writeOff > 0) log.warn({ requestId, writeOff }, "a charge was written off in part");
    answer(bill, "settled");
  } catch (error) {
    log.error({ err: error, requestId }, "a settlement failed");
    answer(bill, "pending");
  }
}

function answer(bill: Bill, billed: Billed): void {
  bill.dueMs = Infinity;
  bill.answer?.(billed);
}

/** Ends an answer's wait that is too long. The charge is still committed later. */
export function checkBill(log: RelayDeps["log"], call: Billing, nowMs: number): void {
  const { bill, requestId } = call;
  if (nowMs < bill.dueMs) return;
  log.error({ requestId }, "a settlement is not committed yet");
  answer(bill, "pending");
}

/** Returns what a settled call was charged, in US dollars. */
export function costOf({ bill, plan }: Pick<Billing, "bill" | "plan">): number {
  return bill.charged / plan.dollar;
}

/** Releases the hold, unless it was settled or released before. */
export function release(bill: Bill): void {
  if (!bill.isOpen) return;
  bill.isOpen = false;
  bill.hold.release();
}
