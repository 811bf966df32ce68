/** The words for what arrived about an order. */

import type { T, TextKey } from "#i18n/t.ts";

const verdicts: Readonly<Record<string, TextKey>> = {
  credited: "orders.verdictCredited",
  repeated: "orders.verdictRepeated",
  pending: "orders.verdictPending",
  failed: "orders.verdictFailed",
  ignored: "orders.verdictIgnored",
  "no answer": "orders.verdictNoAnswer",
  "unknown order": "orders.verdictUnknownOrder",
  "unknown payment": "orders.verdictUnknownPayment",
  "another processor": "orders.verdictOtherProcessor",
  "another currency": "orders.verdictOtherCurrency",
  "another amount of money": "orders.verdictOtherMoney",
  "a second payment": "orders.verdictSecond",
  "refund asked": "orders.verdictRefundAsked",
  "refund done": "orders.verdictRefundDone",
  "refund refused": "orders.verdictRefundRefused",
  "dispute asked": "orders.disputeOpen",
  "dispute done": "orders.disputeLost",
  "dispute refused": "orders.disputeWon",
};

/** Why an answer about an order proves nothing. */
const doubts: Readonly<Record<string, TextKey>> = {
  "status and trade_status do not agree": "orders.doubtDiffers",
  "the answer has no status": "orders.doubtNoStatus",
  "the answer stands under data": "orders.doubtNested",
};

/** Why a message about an order was refused. */
const refusals: Readonly<Record<string, TextKey>> = {
  "Stripe did not answer": "orders.whyStripeSilent",
  "a field is missing": "orders.whyFieldMissing",
  "a field is sent twice": "orders.whyFieldTwice",
  "another merchant": "orders.whyOtherMerchant",
  "another mode": "orders.whyOtherMode",
  "another order": "orders.whyOtherOrder",
  "another order or merchant": "orders.whyOtherOrderOrMerchant",
  "not set up": "orders.whyNotSetUp",
  "wrong signature": "orders.whyWrongSignature",
};

const refused = "refused: ";
const doubtful = "pending: ";

/** Says what followed from what arrived; an unknown word stays as the server wrote it. */
export function verdictName(verdict: string, t: T): string {
  if (verdict.startsWith(refused)) {
    return t("orders.verdictRefused", { why: nameOf(verdict.slice(refused.length), refusals, t) });
  }
  if (verdict.startsWith(doubtful)) {
    return t("orders.verdictDoubtful", { why: nameOf(verdict.slice(doubtful.length), doubts, t) });
  }
  const key = verdicts[verdict];
  return key === undefined ? verdict : t(key);
}

function nameOf(why: string, names: Readonly<Record<string, TextKey>>, t: T): string {
  const key = Object.hasOwn(names, why) ? names[why] : undefined;
  return key === undefined ? why : t(key);
}

const sources: Readonly<Record<string, TextKey>> = {
  notify: "orders.sourceNotify",
  poll: "orders.sourcePoll",
  return: "orders.sourceReturn",
  root: "orders.sourceRoot",
  start: "orders.sourceStart",
};

/** Says how it arrived. */
export function sourceName(source: string, t: T): string {
  const key = sources[source];
  return key === undefined ? source : t(key);
}
