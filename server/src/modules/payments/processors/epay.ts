/**
 * The protocol of epay gateways (易支付): a form signed with MD5, a callback signed likewise, and
 * `api.php` for questions. Gateways of this family publish the same page; its vectors in
 * `epay-vectors.json` were computed with Python's hashlib.
 */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import { createHash } from "node:crypto";
import { moneyText, readMoney } from "@tollgate/contract/money/money.ts";
import type { RawRequest } from "@tollgate/contract/endpoints/orders.ts";
import { z } from "zod";
import { sameText } from "#base/secrets.ts";
import type { PaymentFact, Processor, ProcessorDeps, Reading } from "./processor.ts";

const currency = "cny";

/** The gateway's names of the ways to pay. */
const types: Readonly<Record<string, string>> = { zfb: "alipay", wx: "wxpay" };

/** How the protocol's documents call an order paid: in answers, and in callbacks. */
const paidStatus = "1";
const paidTrade = "TRADE_SUCCESS";

type CallbackFields = ReadonlyMap<string, string>;

/**
 * Signs fields: those that are not empty, without `sign` and `sign_type`, sorted by name, joined
 * as `k=v` with `&`, then the key; MD5 in lower-case hex.
 */
export function signEpay(fields: Iterable<readonly [string, string]>, key: string): string {
  const text = [...fields]
    .filter(([name, value]) => value !== "" && name !== "sign" && name !== "sign_type")
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  return createHash("md5")
    .update(text + key)
    .digest("hex");
}

/** The gateway's answer to a question about an order. Numbers come as numbers or as text. */
const sentNumber = z.union([z.string(), z.number()]).transform(String);
const orderAnswer = z.object({
  code: sentNumber,
  /** What is neither number nor text says nothing. */
  status: sentNumber.optional().catch(undefined),
  /** Some gateways also send the field of their callbacks; `undefined`: this one does not. */
  trade_status: z.unknown().optional(),
  /** Where some gateways put their whole answer, which no document of the protocol knows. */
  data: z.unknown().optional(),
  trade_no: sentNumber.optional(),
  out_trade_no: sentNumber.optional(),
  pid: sentNumber.optional(),
  money: sentNumber.optional(),
});

export const epay: Processor = {
  id: "epay",
  currency: () => currency,
  unitPrice: (readOption) => readOption("Price"),
  answers: {
    stored: { status: 200, text: "success" },
    // The gateway calls back until it reads `success`, so that word is for money that is here.
    noted: { status: 200, text: "fail" },
    failed: { status: 200, text: "fail" },
  },

  // Gateways send the browser on to the pages of banks and wallets, whose addresses nobody lists.
  formOrigins(readOption) {
    const origin = URL.parse(readOption("PayAddress"))?.origin;
    return origin === undefined ? [] : [origin, "https:"];
  },

  async start(order, addresses, { readOption }) {
    const fields = {
      pid: readOption("EpayId"),
      type: types[order.method] ?? order.method,
      out_trade_no: order.number,
      notify_url: addresses.notify,
      return_url: addresses.back,
      name: `TUC${order.amount}`,
      money: moneyText(order.money, currency),
      device: "pc",
      sign_type: "MD5",
    };
    const sign = signEpay(Object.entries(fields), readOption("EpayKey"));
    return { url: addressOf(readOption("PayAddress"), "submit.php"), fields: { ...fields, sign } };
  },

  read: readCallback,

  async ask(order, _reference, deps) {
    const { readOption, ask } = deps;
    const url = new URL(addressOf(readOption("PayAddress"), "api.php"));
    url.search = new URLSearchParams({
      act: "order",
      pid: readOption("EpayId"),
      key: readOption("EpayKey"),
      out_trade_no: order.number,
    }).toString();
    const answer = await ask({ url: url.toString() });
    if (answer === undefined || answer.status !== 200) return undefined;
    const said = parseAnswer(answer.text);
    if (said === undefined || said.code !== "1") return undefined;
    return { reading: readAnswer(said, order.number, readOption("EpayId")), raw: answer.text };
  },

  async refund(order, { money }, deps) {
    const { readOption, ask } = deps;
    const form = {
      act: "refund",
      pid: readOption("EpayId"),
      key: readOption("EpayKey"),
      out_trade_no: order.number,
      money: moneyText(money, currency),
    };
    const url = `${addressOf(readOption("PayAddress"), "api.php")}?act=refund`;
    const answer = await ask({ url, form });
    if (answer === undefined) return { state: "unknown", raw: "" };
    const said = answer.status === 200 ? parseAnswer(answer.text) : undefined;
    if (said === undefined) return { state: "unknown", raw: answer.text };
    return { state: said.code === "1" ? "done" : "refused", raw: answer.text };
  },

  redact(text, { readOption }) {
    const key = readOption("EpayKey");
    const masked = key === "" ? text : text.replaceAll(key, "***");
    return masked.replace(/\b(sign|key)=[^&\s]*/g, "$1=***");
  },
};

function addressOf(base: string, file: string): string {
  return `${trimEndOf(base, "/")}/${file}`;
}

function readCallback(request: RawRequest, { readOption }: ProcessorDeps): Reading {
  const sent = fieldsOf(request);
  if (sent === undefined) return { kind: "refused", why: "a field is sent twice", number: "" };
  const number = sent.get("out_trade_no") ?? "";
  const refused = (why: string): Reading => ({ kind: "refused", why, number });
  const key = readOption("EpayKey");
  if (key === "" || readOption("EpayId") === "") return refused("not set up");
  const sign = sent.get("sign") ?? "";
  if (!sameText(signEpay(sent, key), sign.toLowerCase())) return refused("wrong signature");
  if (sent.get("pid") !== readOption("EpayId")) return refused("another merchant");
  const status = sent.get("status") ?? paidStatus;
  if (sent.get("trade_status") !== paidTrade || status !== paidStatus) {
    return { kind: "pending", number };
  }
  const fact = factOf(number, sent.get("trade_no"), sent.get("money"));
  return fact === undefined ? refused("a field is missing") : { kind: "paid", fact };
}

/**
 * Returns the fields of query and form. Undefined: a field is sent twice, so that two readers
 * could see two values.
 */
function fieldsOf({ method, query, body, contentType }: RawRequest): CallbackFields | undefined {
  const pairs = [...new URLSearchParams(query)];
  const isForm = contentType.toLowerCase().startsWith("application/x-www-form-urlencoded");
  if (method === "POST" && isForm) pairs.push(...new URLSearchParams(body));
  const sent = new Map(pairs);
  return sent.size === pairs.length ? sent : undefined;
}

function factOf(
  number: string,
  externalId: string | undefined,
  money: string | undefined,
): PaymentFact | undefined {
  const minor = readMoney(money ?? "", currency);
  if (number === "" || !externalId || minor === undefined) return undefined;
  return { number, externalId, money: minor, currency };
}

type OrderAnswer = z.output<typeof orderAnswer>;

function parseAnswer(text: string): OrderAnswer | undefined {
  try {
    const parsed = orderAnswer.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Returns why an answer proves neither that an order is paid nor that it is not. */
function doubtOf({ status, trade_status: trade, data }: OrderAnswer): string | undefined {
  const isNested = typeof data === "object" && data !== null && Object.keys(data).length > 0;
  if (isNested) return "the answer stands under data";
  if (status === undefined) return "the answer has no status";
  if (trade === undefined || (status === paidStatus) === (trade === paidTrade)) return undefined;
  return "status and trade_status do not agree";
}

function readAnswer(said: OrderAnswer, number: string, merchant: string): Reading {
  const doubt = doubtOf(said);
  if (doubt !== undefined) return { kind: "pending", number, why: doubt };
  if (said.status !== paidStatus) return { kind: "pending", number };
  const isOther =
    (said.out_trade_no !== undefined && said.out_trade_no !== number) ||
    (said.pid !== undefined && said.pid !== merchant);
  if (isOther) return { kind: "refused", why: "another order or merchant", number };
  const fact = factOf(number, said.trade_no, said.money);
  return fact === undefined
    ? { kind: "refused", why: "a field is missing", number }
    : { kind: "paid", fact };
}
