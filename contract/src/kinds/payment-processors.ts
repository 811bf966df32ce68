/**
 * The processors that take payments. The fields of each are options: they are among the others of
 * `options.ts`, in the section of payment. Sorted.
 */

import { allFields, type Kind } from "./kinds.ts";
import { epay } from "./epay.ts";
import { stripe } from "./stripe.ts";

export const paymentProcessors = {
  epay,
  stripe,
} as const satisfies Record<string, Kind>;

export type ProcessorId = keyof typeof paymentProcessors;

/** Where the API of a processor is; absent: where root says, or the vendor does. */
export type ProcessorUrls = { readonly [Id in ProcessorId]?: string };

export const processorFields = allFields(paymentProcessors);

/** The options that must be set before a processor takes payments. */
export const processorNeeds = {
  epay: ["PayAddress", "EpayId", "EpayKey"],
  stripe: ["StripeApiSecret", "StripeWebhookSecret"],
} as const satisfies { readonly [Id in ProcessorId]: readonly (keyof typeof processorFields)[] };

/** A way to pay: what users choose, and the processor that takes the payment. */
type Method = { readonly id: string; readonly processor: ProcessorId };

/** All ways to pay, as `payment_method` of a call names them. */
export const paymentMethods = [
  { id: "zfb", processor: "epay" },
  { id: "wx", processor: "epay" },
  { id: "stripe", processor: "stripe" },
] as const satisfies readonly Method[];
