/** Root's view of all orders. */

import * as contract from "@tollgate/contract/endpoints/orders.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import { Refusal } from "#base/refusal.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { PaymentStore } from "./payments.store.ts";
import { isSetUp } from "./payments.handlers.ts";
import type { RefundEnd } from "./refunds.ts";
import type { ProcessorDeps } from "./processors/processor.ts";
import { findProcessor } from "./processors/registry.ts";
import { rebateBp, type Settle } from "./settle-payments.ts";

type OrderDeps = {
  readonly store: PaymentStore;
  readonly money: Money;
  readonly settle: Settle;
  readonly processor: ProcessorDeps;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function orderHandlers(deps: OrderDeps): Handler[] {
  return [...readHandlers(deps), ...refundHandlers(deps)];
}

async function findBoth({ store, now }: OrderDeps, id: number) {
  const details = await store.readOrder(id, now());
  const order = details && (await store.findOrder(details.number));
  if (details === undefined || order === undefined) throw new Refusal("not-found", "订单不存在");
  return { details, order };
}

/** The longest answer of a processor that is kept with a refund, in characters. */
const answerMax = 1_000;

/** Gives money back: takes the quota first, then asks the processor. */
function refundHandlers(deps: OrderDeps): Handler[] {
  const { store, money, processor, now } = deps;
  const end = async (userId: number, ended: RefundEnd) =>
    await money.creditUser(userId, () => store.endRefund(ended, now()));
  return [
    handle(contract.refundOrder, async ({ id, money: wanted, reason }, caller) => {
      const { order } = await findBoth(deps, id);
      const found = findProcessor(order.processor);
      if (found === undefined) throw new Refusal("not-found", "支付方式不存在");
      if (!isSetUp(processor.readOption, found.id)) {
        throw new Refusal("not-allowed", "该支付方式的设置不完整，无法退款");
      }
      const planned = await store.planRefundOf(order.number, wanted);
      const by = { actor: actorOf(caller), nowMs: now() };
      const refund = await money.takeUser(order.user_id, planned.quota, (most) =>
        store.beginRefund(order.number, { ...planned, most }, reason, by),
      );
      const asked = { id: refund.id, money: planned.money };
      const { state, raw, externalId = "" } = await found.refund(order, asked, processor);
      const answer = found.redact(raw, processor).slice(0, answerMax);
      if (state === "unknown") {
        await store.noteRefund(refund.id, answer, externalId);
        return { state: "asked" as const, answer };
      }
      await end(order.user_id, { id: refund.id, state, answer, externalId });
      return { state, answer };
    }),

    handle(contract.endRefund, async ({ id, refund, done }, caller) => {
      const { order } = await findBoth(deps, id);
      const ended = { id: refund, state: done ? "done" : "refused", orderId: id } as const;
      const by = { actor: actorOf(caller), nowMs: now() };
      await money.creditUser(order.user_id, () => store.endRefundByHand(ended, by));
    }),
  ];
}

function readHandlers(deps: OrderDeps): Handler[] {
  const { store, money, settle, processor: terms, now } = deps;
  const find = (id: number) => findBoth(deps, id);
  return [
    handle(contract.listOrders, async ({ keyword, username, state, ...input }) => {
      const window = readPageWindow(input);
      const filter = { keyword, username, state };
      return { ...window, ...(await store.pageOrders(filter, window, now())) };
    }),

    handle(contract.readOrder, async ({ id }) => (await find(id)).details),

    handle(contract.checkOrder, async ({ id }, { clientIp }) => {
      const { order } = await find(id);
      const processor = findProcessor(order.processor);
      if (processor === undefined) throw new Refusal("not-found", "支付方式不存在");
      const from = { source: "root", clientIp, isQuiet: false } as const;
      const { verdict } = await settle.ask(processor, order, from);
      return { verdict };
    }),

    handle(contract.settleOrder, async ({ id, reason }, caller) => {
      const { order } = await find(id);
      const by = { actor: actorOf(caller), rebateBp: rebateBp(terms), nowMs: now() };
      await money.creditUser(order.user_id, () => store.settleByHand(order.number, reason, by));
    }),
  ];
}
