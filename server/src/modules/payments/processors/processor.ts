/** What every processor of payments can do. One file a processor; `registry.ts` lists them. */

import type { RawRequest } from "@tollgate/contract/orders.ts";
import type { ProcessorId } from "@tollgate/contract/payment-processors.ts";
import type { Options } from "#modules/options/options.ts";
import type { OrderRow } from "#modules/payments/payments.ts";

/** Sends a small request to a processor; undefined: no answer. */
export type AskProcessor = (request: {
  readonly url: string;
  /** Sent as a form by POST; absent: the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
}) => Promise<{ readonly status: number; readonly text: string } | undefined>;

export type ProcessorDeps = {
  readonly readOption: Options["read"];
  readonly ask: AskProcessor;
};

/** What a processor says that it was paid. Compared with the order before anything is credited. */
export type PaymentFact = {
  /** The number of the order. */
  readonly number: string;
  /** The processor's own id of the payment. */
  readonly externalId: string;
  readonly money: number;
  readonly currency: string;
};

/** What a message of a processor means. */
export type Reading =
  | { readonly kind: "paid"; readonly fact: PaymentFact }
  /** Genuine, but not about a payment that is done. */
  | { readonly kind: "pending"; readonly number: string }
  /** Not from the processor, or not to be understood; `number` as it was claimed. */
  | { readonly kind: "refused"; readonly why: string; readonly number: string };

/** Where a browser goes to pay: it posts `fields` to `url`. */
type PaymentStart = {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
};

type Addresses = {
  /** Where the processor's server calls back. */
  readonly notify: string;
  /** Where the browser returns to. */
  readonly back: string;
};

export type Processor = {
  readonly id: ProcessorId;
  readonly currency: (readOption: Options["read"]) => string;
  /** The price of a dollar of quota in `currency`, as decimal text. */
  readonly unitPrice: (readOption: Options["read"]) => string;
  /** What the processor's server expects as an answer. */
  readonly answers: {
    readonly stored: { readonly status: number; readonly text: string };
    readonly failed: { readonly status: number; readonly text: string };
  };
  /** Where the browser may post the form of a payment, and is sent on to from there. */
  readonly formOrigins: (readOption: Options["read"]) => readonly string[];
  /** Begins a payment; undefined: the processor did not answer. */
  start(
    order: OrderRow,
    addresses: Addresses,
    deps: ProcessorDeps,
  ): Promise<PaymentStart | undefined>;
  /** Reads what the processor's server, or the browser on its return, brought. */
  read(request: RawRequest, deps: ProcessorDeps): Reading;
  /** Asks about an order; undefined: no answer that can be understood. */
  ask(
    order: OrderRow,
    deps: ProcessorDeps,
  ): Promise<{ readonly reading: Reading; readonly raw: string } | undefined>;
  /** Gives money back. `unknown`: it may or may not have been done. */
  refund(
    order: OrderRow,
    money: number,
    deps: ProcessorDeps,
  ): Promise<{ readonly state: "done" | "refused" | "unknown"; readonly raw: string }>;
  /** Removes keys and signatures from a text before it is stored. */
  redact(text: string, deps: ProcessorDeps): string;
};
