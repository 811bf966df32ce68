import { moneyText } from "@tollgate/contract/money/money.ts";
import * as contract from "@tollgate/contract/endpoints/orders.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import {
  paymentMethods,
  processorNeeds,
  type ProcessorId,
} from "@tollgate/contract/kinds/payment-processors.ts";
import { unixSeconds } from "#base/clock.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { type Caller, type Handler, handle, reply, textReply } from "#http/handler.ts";
import type { Options } from "#modules/options/options.ts";
import { leastAmount, priceOf } from "./order-price.ts";
import { showOrder } from "./orders.repo.ts";
import type { PaymentStore } from "./payments.store.ts";
import type { OrderTerms } from "./payments.ts";
import type { Processor, ProcessorDeps } from "./processors/processor.ts";
import { findProcessor, processors } from "./processors/registry.ts";
import type { Settle } from "./settle-payments.ts";

type PaymentDeps = {
  readonly store: PaymentStore;
  readonly settle: Settle;
  readonly limits: RateLimits;
  readonly readOption: Options["read"];
  readonly processor: ProcessorDeps;
  readonly quotaPerUnit: () => string;
  /** Returns the address of this server until option `ServerAddress` is set. */
  readonly localAddress: () => string;
  /** Six random letters and digits of an order's number. */
  readonly newSuffix: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const orderRule: RateRule = { name: "order", windowMs: 60_000, max: 10 };
const checkRule: RateRule = { name: "order-check", windowMs: 60_000, max: 60 };
/** How often the processor is asked about one order whose page is open. */
const askRule: RateRule = { name: "order-ask", windowMs: 3_000, max: 1 };
/** Messages of processors are few; more from one address are an attack. */
const notifyRule: RateRule = { name: "payment-notify", windowMs: 60_000, max: 600 };

/** Whether everything that a processor needs is set. */
export function isSetUp(readOption: Options["read"], id: ProcessorId): boolean {
  return processorNeeds[id].every((name) => readOption(name) !== "");
}

export function paymentHandlers(deps: PaymentDeps): Handler[] {
  return [...offerHandlers(deps), ...ownHandlers(deps), notifyHandler(deps)];
}

type PaymentInput = {
  readonly amount?: number | undefined;
  readonly top_up_code?: string | undefined;
  readonly payment_method?: string | undefined;
};

function offerHandlers(deps: PaymentDeps): Handler[] {
  const { readOption } = deps;
  return [
    handle(contract.readTopUpInfo, async () => {
      const discounts = readOption("TopupDiscount");
      const offered = paymentMethods.filter(({ processor }) => isSetUp(readOption, processor));
      const methods = offered.map(({ id, processor }) => {
        return { id, processor, currency: processors[processor].currency(readOption) };
      });
      const min_amount = leastOf(deps);
      const presets = Object.entries(discounts)
        .map(([amount, discount]) => ({ amount: Number(amount), discount }))
        .filter(({ amount }) => amount >= min_amount)
        .toSorted((a, b) => a.amount - b.amount);
      return { methods, min_amount, presets };
    }),

    handle(contract.priceOrder, ({ payment_method = "", ...asked }, { userId }) =>
      orSaid(async () => {
        const chosen = paymentMethods.find(({ id }) => id === payment_method);
        const processor = chosen === undefined ? processors.epay : processors[chosen.processor];
        const terms = await termsOf(deps, processor, asked, userId);
        const { money } = priceOf(terms);
        refuseTooLittle(money);
        return reply(moneyText(Number(money), terms.currency), { message: "success" });
      }),
    ),

    handle(contract.pay, (asked, caller) =>
      orSaid(() => begin(deps, processors.epay, asked, caller), noStart),
    ),

    handle(contract.payWith, ({ processor, ...asked }, caller) =>
      orSaid(async () => {
        const found = findProcessor(processor);
        if (found === undefined) throw new Refusal("not-found", "支付方式不存在");
        return await begin(deps, found, asked, caller);
      }, noStart),
    ),
  ];
}

const noStart = { extras: { url: "", order: "" } };

/**
 * Answers a refusal with its text in `message` and in `data`, where one-api consoles look for it.
 */
async function orSaid<Said, Extras extends object>(
  answer: () => Promise<Said>,
  extras?: Extras,
): Promise<Said> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === "rate-limited") throw error;
    const { message, field } = error;
    const parts = { success: false as const, message, ...(field === undefined ? {} : { field }) };
    // Safe cast: the endpoints' outputs allow a text, and `extras` has those of the endpoint.
    return reply(message, { ...parts, ...extras }) as Said;
  }
}

function leastOf({ readOption, quotaPerUnit }: PaymentDeps): number {
  const inDollars = readOption("DisplayInCurrencyEnabled");
  return leastAmount(readOption("MinTopUp"), quotaPerUnit(), inDollars);
}

/**
 * Returns everything that the price of an amount depends on.
 * @throws Refusal when the amount cannot be ordered.
 */
async function termsOf(
  deps: PaymentDeps,
  processor: Processor,
  asked: PaymentInput,
  userId: number,
) {
  const { readOption, store, quotaPerUnit } = deps;
  if (!isSetUp(readOption, processor.id)) {
    throw new Refusal("not-allowed", "当前管理员未配置支付信息");
  }
  const { amount } = asked;
  if (amount === undefined) throw new Refusal("invalid-input", "参数错误", { field: "amount" });
  const least = leastOf(deps);
  if (amount < least) {
    throw new Refusal("invalid-input", `充值数量不能小于 ${least}`, { field: "amount" });
  }
  const group = await store.readGroup(userId);
  return {
    amount,
    inDollars: readOption("DisplayInCurrencyEnabled"),
    currency: processor.currency(readOption),
    price: processor.unitPrice(readOption),
    group,
    groupRatio: ownValue(readOption("TopupGroupRatio"), group) ?? "1",
    discount: ownValue(readOption("TopupDiscount"), String(amount)) ?? "1",
    quotaPerUnit: quotaPerUnit(),
  };
}

function ownValue(map: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function refuseTooLittle(money: bigint): void {
  if (money < 1n) throw new Refusal("invalid-input", "充值金额过低", { field: "amount" });
}

/** The largest price of an order, in minor units: gateways take no more. */
const moneyMax = 10_000_000_000n;

/**
 * Returns the addresses of this server that leave it with a payment. They come from options alone,
 * because a request could name any: who pays would be sent there.
 */
function addressesOf({ readOption, localAddress }: PaymentDeps) {
  const own = readOption("ServerAddress") || localAddress();
  const callback = readOption("CustomCallbackAddress") || own;
  return { own, callback };
}

/** Creates an order, then begins its payment. */
async function begin(deps: PaymentDeps, processor: Processor, asked: PaymentInput, caller: Caller) {
  const { store, limits, readOption, now } = deps;
  const { userId } = caller;
  const { top_up_code = "" } = asked;
  const terms = await termsOf(deps, processor, asked, userId);
  const method = methodOf(processor, asked.payment_method);
  const { money, quota } = priceOf(terms);
  refuseTooLittle(money);
  if (money > moneyMax || quota > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new Refusal("invalid-input", "充值金额过大", { field: "amount" });
  }
  const { allowed, retryAfterMs } = await limits.take(orderRule, String(userId));
  if (!allowed) throw new Refusal("rate-limited", "请求次数过多，请稍后再试！", { retryAfterMs });
  const { own, callback } = addressesOf(deps);
  const nowMs = now();
  const seconds = unixSeconds(nowMs);
  const created: OrderTerms = {
    number: `USR${userId}NO${deps.newSuffix()}${seconds}`,
    user_id: userId,
    processor: processor.id,
    method,
    amount: String(terms.amount),
    quota: Number(quota),
    money: Number(money),
    currency: terms.currency,
    price: terms.price,
    group: terms.group,
    group_ratio: terms.groupRatio,
    discount: terms.discount,
    quota_per_unit: terms.quotaPerUnit,
    top_up_code,
    created_at: seconds,
    expires_at: seconds + readOption("OrderExpiryMinutes") * 60,
  };
  const order = await store.createOrder(created, nowMs);
  const start = await processor.start(
    order,
    {
      notify: `${callback}/api/user/${processor.id}/notify`,
      back: `${own}/topup?order=${order.number}`,
    },
    deps.processor,
  );
  if (start === undefined) {
    const message = { source: "start", raw: "", clientIp: caller.clientIp, nowMs: now() } as const;
    await store.noteFailure(order.number, message);
    throw new Refusal("outside-failed", "拉起支付失败");
  }
  if (start.reference !== undefined) await store.noteReference(order.id, start.reference);
  const extras = { url: start.url, order: order.number };
  return reply(start.fields, { message: "success", extras });
}

/** Returns the way to pay; of a processor that has only one, it need not be named. */
function methodOf({ id }: Processor, wanted = ""): string {
  const own = paymentMethods.filter(({ processor }) => processor === id);
  const [only, second] = own;
  if (wanted === "" && only !== undefined && second === undefined) return only.id;
  const found = own.find((method) => method.id === wanted);
  if (found !== undefined) return found.id;
  throw new Refusal("invalid-input", "支付方式不存在", { field: "payment_method" });
}

function ownHandlers(deps: PaymentDeps): Handler[] {
  const { store, settle, limits, now } = deps;
  return [
    handle(contract.listOwnOrders, async (input, { userId }) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageOwnOrders(userId, window, now())) };
    }),

    handle(contract.checkOwnOrder, async ({ number, query }, { userId, clientIp }) => {
      const { allowed, retryAfterMs } = await limits.take(checkRule, String(userId));
      if (!allowed) {
        throw new Refusal("rate-limited", "请求次数过多，请稍后再试！", { retryAfterMs });
      }
      const order = await store.findRefunded(number);
      if (order === undefined || order.user_id !== userId) {
        throw new Refusal("not-found", "订单不存在");
      }
      const processor = findProcessor(order.processor);
      if (order.paid_at !== 0 || processor === undefined) return showOrder(order, now());
      if (query !== "") {
        const request = { method: "GET", query, body: "", contentType: "", headers: {} };
        await settle.take(processor, request, { source: "return", clientIp });
      } else if ((await limits.take(askRule, number)).allowed) {
        await settle.ask(processor, order, { source: "poll", clientIp, isQuiet: true });
      }
      return showOrder((await store.findRefunded(number)) ?? order, now());
    }),
  ];
}

/** Answers a processor's server: "stored" only once the credit is committed. */
function notifyHandler({ settle, limits }: PaymentDeps): Handler {
  return handle(contract.notifyPayment, async ({ processor: id, raw }, { clientIp }) => {
    const processor = findProcessor(id);
    if (processor === undefined) return textReply({ status: 404, text: "fail" });
    const { allowed } = await limits.take(notifyRule, clientIp);
    if (!allowed) return textReply({ status: 429, text: "fail" });
    const { became } = await settle.take(processor, raw, { source: "notify", clientIp });
    return textReply(processor.answers[became]);
  });
}
