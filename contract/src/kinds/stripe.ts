import { choice, define, secret } from "./kinds.ts";
import { positiveDecimal } from "@tollgate/contract/fields/field-schemas.ts";

/**
 * The currencies of orders at Stripe whose minor units are those of its API. Those in which Stripe
 * takes only some amounts are missing.
 */
const currencies = [
  "usd",
  "eur",
  "gbp",
  "cny",
  "hkd",
  "sgd",
  "jpy",
  "krw",
  "aud",
  "cad",
  "nzd",
  "chf",
  "sek",
  "nok",
  "dkk",
  "pln",
  "brl",
  "mxn",
  "inr",
  "thb",
  "myr",
] as const;

/**
 * Stripe: the browser goes to a Checkout page, and signed webhooks tell what was paid, refunded and
 * disputed.
 */
export const stripe = {
  id: "stripe",
  fields: {
    StripeApiSecret: secret,
    StripeWebhookSecret: secret,
    StripeCurrency: choice(currencies, "usd"),
    /** Price of one US dollar of quota, in that currency. */
    StripeUnitPrice: define({ type: "decimal", schema: positiveDecimal, defaultValue: "1" }),
  },
} as const;
