/**
 * Stripe: payments on the page of a Checkout session, told by webhooks. The official library makes
 * the requests and verifies the webhooks; it is loaded when it is first needed. What a webhook says
 * of a refund or a dispute may be old, so its present state is asked for.
 */

import { moneyText } from "@tollgate/contract/money/money.ts";
import type { RawRequest } from "@tollgate/contract/endpoints/orders.ts";
import type { Stripe } from "stripe";
import type { OrderRow } from "#modules/payments/payments.ts";
import type { AskProcessor, Processor, ProcessorDeps, Reading } from "./processor.ts";
import {
  disputeShape,
  disputeState,
  orderOf,
  paymentOf,
  readSession,
  refundShape,
  refundState,
} from "./stripe-objects.ts";

/** A session may be paid for at least 30 minutes and at most a day. */
const sessionSecondsMin = 31 * 60;
const sessionSecondsMax = 24 * 3_600 - 60;

const timeoutMs = 12_000;

export const stripe: Processor = {
  id: "stripe",
  currency: (readOption) => readOption("StripeCurrency"),
  unitPrice: (readOption) => readOption("StripeUnitPrice"),
  answers: {
    stored: { status: 200, text: "success" },
    // Stripe repeats what it reads another status for, and at last turns the endpoint off.
    noted: { status: 200, text: "received" },
    failed: { status: 400, text: "fail" },
  },

  // The browser is sent to Stripe's page by an address, not by a form.
  formOrigins: () => [],

  async start(order, addresses, deps) {
    // A second start asks for the same as the first, so that Stripe answers with the same session.
    const params = sessionOf(order, addresses.back, order.created_at);
    const session = await answerOf(async () => {
      const client = await open(deps);
      return await client.checkout.sessions.create(params, { idempotencyKey: order.number });
    });
    if (!session.ok || session.value.url === null) return undefined;
    return { url: session.value.url, fields: {}, reference: session.value.id };
  },

  read: readWebhook,

  async ask(order, reference, deps) {
    if (reference === "") return undefined;
    const session = await answerOf(
      async () => await (await open(deps)).checkout.sessions.retrieve(reference),
    );
    if (!session.ok) return undefined;
    const reading = readSession(session.value, isLive(deps));
    const raw = JSON.stringify(session.value);
    if (reading.kind === "paid" && reading.fact.number !== order.number) {
      return { reading: { kind: "refused", why: "another order", number: order.number }, raw };
    }
    if (reading.kind !== "ignored") return { reading, raw };
    return { reading: { kind: "pending", number: order.number }, raw };
  },

  async refund(order, { id, money }, deps) {
    const refund = await answerOf(async () => {
      const client = await open(deps);
      return await client.refunds.create(
        {
          payment_intent: order.external_id,
          amount: money,
          metadata: { tollgate_order: order.number, tollgate_refund: String(id) },
        },
        { idempotencyKey: `refund-${order.number}-${id}` },
      );
    });
    if (!refund.ok) return { state: refund.isRefused ? "refused" : "unknown", raw: refund.why };
    const { value } = refund;
    const state = refundState(value.status ?? "");
    const raw = `${value.id} ${value.status} ${moneyText(value.amount, value.currency)}`;
    return { state: state === "asked" ? "unknown" : state, raw, externalId: value.id };
  },

  redact(text, { readOption }) {
    const keys = [readOption("StripeApiSecret"), readOption("StripeWebhookSecret")];
    const masked = keys
      .filter((key) => key !== "")
      .reduce((left, key) => left.replaceAll(key, "***"), text);
    return masked.replace(/("client_secret":\s*")[^"]*/g, "$1***");
  },
};

function sessionOf(
  order: OrderRow,
  back: string,
  now: number,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { tollgate_order: order.number };
  const expiry = Math.max(order.expires_at, now + sessionSecondsMin);
  return {
    mode: "payment",
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: order.currency,
          unit_amount: order.money,
          product_data: { name: `TUC${order.amount}` },
        },
      },
    ],
    client_reference_id: order.number,
    metadata,
    payment_intent_data: { metadata },
    success_url: back,
    cancel_url: back,
    expires_at: Math.min(expiry, now + sessionSecondsMax),
    // What is paid must equal the order, in its currency.
    adaptive_pricing: { enabled: false },
  };
}

/** Whether the key takes real money. */
function isLive({ readOption }: ProcessorDeps): boolean {
  return readOption("StripeApiSecret").includes("_live_");
}

async function readWebhook(request: RawRequest, deps: ProcessorDeps): Promise<Reading> {
  const refused = (why: string): Reading => ({ kind: "refused", why, number: "" });
  const secret = deps.readOption("StripeWebhookSecret");
  if (secret === "" || deps.readOption("StripeApiSecret") === "") return refused("not set up");
  const header = request.headers["stripe-signature"] ?? "";
  let event: Stripe.Event;
  try {
    const { webhooks } = await open(deps);
    event = await webhooks.constructEventAsync(
      request.body,
      header,
      secret,
      undefined,
      undefined,
      deps.now(),
    );
  } catch {
    return refused("wrong signature");
  }
  if (event.livemode !== isLive(deps)) {
    return { kind: "refused", why: "another mode", number: orderOf(event.data.object) };
  }
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.expired":
      return readSession(event.data.object, isLive(deps));
    case "checkout.session.async_payment_failed": {
      const reading = readSession(event.data.object, isLive(deps));
      return reading.kind === "pending" ? { ...reading, kind: "failed" } : reading;
    }
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
      return await readRefund(event.data.object.id, deps);
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.closed":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated":
      return await readDispute(event.data.object.id, deps);
    default:
      return { kind: "ignored" };
  }
}

const unanswered: Reading = { kind: "refused", why: "Stripe did not answer", number: "" };

async function readRefund(id: string, deps: ProcessorDeps): Promise<Reading> {
  const answer = await answerOf(
    async () => await (await open(deps)).refunds.retrieve(id, { expand: ["payment_intent"] }),
  );
  const said = answer.ok ? refundShape.safeParse(answer.value) : undefined;
  if (said?.success !== true) return unanswered;
  const { amount, currency, metadata, payment_intent, status } = said.data;
  const payment = paymentOf(payment_intent);
  if (payment === undefined) return { kind: "ignored" };
  return {
    kind: "reversed",
    fact: {
      ...payment,
      id,
      kind: "refund",
      ownRefund: Number(metadata?.["tollgate_refund"] ?? 0),
      state: refundState(status ?? ""),
      money: amount,
      currency,
    },
  };
}

async function readDispute(id: string, deps: ProcessorDeps): Promise<Reading> {
  const answer = await answerOf(
    async () => await (await open(deps)).disputes.retrieve(id, { expand: ["payment_intent"] }),
  );
  const said = answer.ok ? disputeShape.safeParse(answer.value) : undefined;
  if (said?.success !== true) return unanswered;
  const { amount, currency, payment_intent, status } = said.data;
  const payment = paymentOf(payment_intent);
  const state = disputeState(status);
  // An inquiry takes no money.
  if (payment === undefined || state === undefined) return { kind: "ignored" };
  const fact = { ...payment, id, kind: "dispute", ownRefund: 0, money: amount, currency } as const;
  return { kind: "reversed", fact: { ...fact, state } };
}

type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  /** `isRefused`: Stripe has answered that it does not do it. */
  | { readonly ok: false; readonly isRefused: boolean; readonly why: string };

async function answerOf<Value>(ask: () => Promise<Value>): Promise<Answer<Value>> {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
    // 409 and 429 may succeed later.
    const isRefused =
      status === 400 || status === 401 || status === 402 || status === 403 || status === 404;
    return { ok: false, isRefused, why: error instanceof Error ? error.message : "no answer" };
  }
}

/** The API of Stripe, unless the environment names another. */
const stripeApi = "https://api.stripe.com";

/** Makes a client whose requests go out as all others of this server. */
async function open({ readOption, urls, ask }: ProcessorDeps): Promise<Stripe> {
  const { Stripe: Client } = await import("stripe");
  const { hostname, port, protocol } = new URL(urls.stripe ?? stripeApi);
  return new Client(readOption("StripeApiSecret"), {
    host: hostname,
    ...(port === "" ? {} : { port }),
    protocol: protocol === "http:" ? "http" : "https",
    httpClient: httpOf(ask),
    // Who waits asks again; the idempotency keys are ours.
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
  });
}

function httpOf(ask: AskProcessor): Stripe.HttpClient {
  return {
    getClientName: () => "tollgate",
    async makeRequest(host, port, path, method, headers, body, protocol) {
      const url = new URL(path, `${protocol}://${host}:${port}`).toString();
      const texts = Object.entries(headers).flatMap(([name, value]) =>
        // The transport writes these itself.
        /^(connection|content-length|host)$/i.test(name)
          ? []
          : [[name.toLowerCase(), String(value)] as const],
      );
      const answer = await ask({
        url,
        headers: Object.fromEntries(texts),
        ...(method === "GET" ? {} : { body: body ?? "" }),
      });
      if (answer === undefined) throw new Error("Stripe did not answer");
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => ({}),
        getRawResponse: () => answer,
        toStream: () => {
          throw new Error("no answer of Stripe is read as a stream");
        },
        toJSON: async () => JSON.parse(answer.text),
      };
    },
  };
}
