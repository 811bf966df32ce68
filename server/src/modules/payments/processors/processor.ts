/** What every processor of payments can do. One file a processor; `registry.ts` lists them. */

import type { RawRequest } from "@tollgate/contract/endpoints/orders.ts";
import type { ProcessorId, ProcessorUrls } from "@tollgate/contract/kinds/payment-processors.ts";
import type { Options } from "#modules/options/options.ts";
import type { OrderRow } from "#modules/payments/payments.ts";

/** Sends a small request to a processor; undefined: no answer. */
export type AskProcessor = (request: {
  readonly url: string;
  /** Sent as a form by POST. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent by POST as it is. Without form and body the request is a GET. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}) => Promise<{ readonly status: number; readonly text: string } | undefined>;

export type ProcessorDeps = {
  readonly readOption: Options["read"];
  readonly ask: AskProcessor;
  /** Where the APIs of processors are. */
  readonly urls: ProcessorUrls;
  /** Unix milliseconds. */
  readonly now: () => number;
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

/** What a processor says of money that went back, as it is now. */
export type ReversalFact = {
  /** The number of the order. */
  readonly number: string;
  /** The processor's own id of the payment, and that of the refund or dispute. */
  readonly externalId: string;
  readonly id: string;
  readonly kind: "dispute" | "refund";
  /** The row of the refund that this server asked for; 0: it did not. */
  readonly ownRefund: number;
  /** `asked`: not decided yet; `refused`: the money stays here after all. */
  readonly state: "asked" | "done" | "refused";
  readonly money: number;
  readonly currency: string;
};

/** What a message of a processor means. */
export type Reading =
  | { readonly kind: "paid"; readonly fact: PaymentFact }
  /** Genuine, but not about a payment that is done. `why`: what root must know of the answer. */
  | { readonly kind: "pending"; readonly number: string; readonly why?: string }
  /** Genuine, and the payment will not be done. */
  | { readonly kind: "failed"; readonly number: string }
  | { readonly kind: "reversed"; readonly fact: ReversalFact }
  /** Genuine, but about nothing of this server. */
  | { readonly kind: "ignored" }
  /** Not from the processor, or not to be understood; `number` as it was claimed. */
  | { readonly kind: "refused"; readonly why: string; readonly number: string };

/** Where a browser goes to pay: it posts `fields` to `url`, or opens it if there are none. */
type PaymentStart = {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  /** By what the processor is asked about the order; absent: by its number. */
  readonly reference?: string;
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
    /** Credited, or taken back. */
    readonly stored: { readonly status: number; readonly text: string };
    /** Genuine, but there is nothing to credit. */
    readonly noted: { readonly status: number; readonly text: string };
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
  read(request: RawRequest, deps: ProcessorDeps): Promise<Reading> | Reading;
  /** Asks about an order; undefined: no answer that can be understood. */
  ask(
    order: OrderRow,
    /** That of its start; empty: there was none, or the order was settled long ago. */
    reference: string,
    deps: ProcessorDeps,
  ): Promise<{ readonly reading: Reading; readonly raw: string } | undefined>;
  /** Gives money back. `unknown`: it may or may not have been done. */
  refund(
    order: OrderRow,
    /** `id`: the row of the refund. */
    refund: { readonly id: number; readonly money: number },
    deps: ProcessorDeps,
  ): Promise<{
    readonly state: "done" | "refused" | "unknown";
    readonly raw: string;
    /** The processor's own id of the refund, if it has one. */
    readonly externalId?: string;
  }>;
  /** Removes keys and signatures from a text before it is stored. */
  redact(text: string, deps: ProcessorDeps): string;
};
