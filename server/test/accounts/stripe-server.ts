/**
 * A server like Stripe's API for tests, with what the gateway asks of it. Events are signed, and
 * objects typed, by the official library.
 */

import { Stripe } from "stripe";
import { z } from "zod";

export const stripeKeys = { api: "sk_test_0123456789abcdef", webhook: "whsec_0123456789abcdef" };

const sessionForm = z.object({
  client_reference_id: z.string(),
  "metadata[tollgate_order]": z.string(),
  "payment_intent_data[metadata][tollgate_order]": z.string(),
  "line_items[0][price_data][currency]": z.string(),
  "line_items[0][price_data][unit_amount]": z.coerce.number(),
  "line_items[0][quantity]": z.literal("1"),
  mode: z.literal("payment"),
  success_url: z.string(),
});

type Session = {
  id: string;
  object: "checkout.session";
  url: string;
  livemode: boolean;
  success_url: string;
  client_reference_id: string;
  metadata: Record<string, string>;
  payment_status: Stripe.Checkout.Session.PaymentStatus;
  payment_intent: string | null;
  amount_total: number;
  currency: string;
};

/** A refund or a dispute, with what asked for it. */
type Back = {
  id: string;
  object: "dispute" | "refund";
  amount: number;
  currency: string;
  status: string;
  payment_intent: string;
  metadata: Record<string, string>;
};

function newSession(form: URLSearchParams, id: string, origin: string): Session {
  const read = sessionForm.parse(Object.fromEntries(form));
  return {
    id,
    object: "checkout.session",
    url: `${origin}/pay/${id}`,
    livemode: false,
    success_url: read.success_url,
    client_reference_id: read.client_reference_id,
    metadata: { tollgate_order: read["metadata[tollgate_order]"] },
    payment_status: "unpaid",
    payment_intent: null,
    amount_total: read["line_items[0][price_data][unit_amount]"],
    currency: read["line_items[0][price_data][currency]"],
  };
}

function newRefund(form: URLSearchParams, id: string): Back {
  return {
    id,
    object: "refund",
    amount: Number(form.get("amount")),
    currency: "usd",
    status: "succeeded",
    payment_intent: form.get("payment_intent") ?? "",
    metadata: { tollgate_refund: form.get("metadata[tollgate_refund]") ?? "" },
  };
}

/** What the server knows: sessions, and money that went back. */
function openBooks() {
  const sessions = new Map<string, Session>();
  const backs = new Map<string, Back>();

  function createSession(form: URLSearchParams, origin: string): object {
    const session = newSession(form, `cs_test_${sessions.size + 1}`, origin);
    sessions.set(session.id, session);
    return session;
  }

  function createRefund(form: URLSearchParams): object {
    const refund = newRefund(form, `re_${backs.size + 1}`);
    backs.set(refund.id, refund);
    return refund;
  }

  /** Shows a refund or dispute with its payment expanded, as the gateway asks for it. */
  function shown(back: Back): object {
    const session = [...sessions.values()].find(
      ({ payment_intent }) => payment_intent === back.payment_intent,
    );
    const metadata = session?.metadata ?? {};
    return { ...back, payment_intent: { id: back.payment_intent, metadata } };
  }

  function sessionOf(order: string): Session {
    const found = [...sessions.values()].find((one) => one.client_reference_id === order);
    if (found === undefined) throw new Error(`no session of ${order}`);
    return found;
  }

  /** Returns the order of the session that was made last. */
  function newest(): string {
    return [...sessions.values()].at(-1)?.client_reference_id ?? "";
  }

  function pay(id: string): Session {
    const session = sessions.get(id);
    if (session === undefined) throw new Error(`no session ${id}`);
    session.payment_status = "paid";
    session.payment_intent = `pi_${id}`;
    return session;
  }

  /** Gives money of an order back at Stripe itself, or disputes it. */
  function back(kind: "dispute" | "refund", order: string, amount: number, status: string): Back {
    const { currency, payment_intent } = sessionOf(order);
    const id = `${kind === "refund" ? "re" : "dp"}_own${backs.size + 1}`;
    const back: Back = {
      id,
      object: kind,
      amount,
      currency,
      status,
      payment_intent: payment_intent ?? "",
      metadata: {},
    };
    backs.set(id, back);
    return back;
  }

  return { backs, sessions, createSession, createRefund, shown, sessionOf, newest, pay, back };
}

/** Writes an event, and signs it as the official library does. */
async function signEvent(
  type: Stripe.Event["type"] | "plan.created",
  object: object,
  given: { readonly atMs: number; readonly livemode?: boolean; readonly secret?: string },
): Promise<{ readonly body: string; readonly signature: string }> {
  const body = JSON.stringify({
    id: `evt_${crypto.randomUUID()}`,
    object: "event",
    api_version: Stripe.API_VERSION,
    livemode: given.livemode ?? false,
    type,
    data: { object },
  });
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({
    payload: body,
    secret: given.secret ?? stripeKeys.webhook,
    timestamp: Math.floor(given.atMs / 1_000),
  });
  return { body, signature };
}

type Held = {
  readonly made: PromiseWithResolvers<void>;
  readonly released: PromiseWithResolvers<void>;
};

export type StripeServer = ReturnType<typeof openStripeServer>;

export function openStripeServer() {
  const books = openBooks();
  const idempotent = new Map<string, object>();
  const asked: string[] = [];
  /** What the server does next time: nothing special, refuse, or fail to answer. */
  const mood = { refuses: false, away: false };
  let held: Held | null = null;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request): Promise<Response> {
      const { pathname } = new URL(request.url);
      const form = new URLSearchParams(await request.text());
      asked.push(`${request.method} ${pathname}`);
      const [, page, payId] = /^\/(pay)\/(\w+)$/.exec(pathname) ?? [];
      if (page !== undefined && payId !== undefined) {
        books.pay(payId);
        return new Response("<h1>Paid by card</h1>", { headers: { "content-type": "text/html" } });
      }
      if (mood.away) return new Response("", { status: 503 });
      if (request.headers.get("authorization") !== `Bearer ${stripeKeys.api}`) {
        return Response.json({ error: { message: "Invalid API Key" } }, { status: 401 });
      }
      const [, noun = "", id = ""] = /^\/v1\/(.+?)(?:\/((?:cs|re|dp)_\w+))?$/.exec(pathname) ?? [];
      if (request.method === "POST") {
        if (mood.refuses) {
          return Response.json({ error: { message: "refused" } }, { status: 400 });
        }
        const key = request.headers.get("idempotency-key") ?? "";
        const made: object =
          idempotent.get(key) ??
          (noun === "refunds" ? books.createRefund(form) : books.createSession(form, origin));
        idempotent.set(key, made);
        const waits = noun === "refunds" ? null : held;
        waits?.made.resolve();
        await waits?.released.promise;
        return Response.json(made);
      }
      const back = books.backs.get(id);
      const found = back === undefined ? books.sessions.get(id) : books.shown(back);
      if (found === undefined) {
        return Response.json({ error: { message: `No such ${noun}` } }, { status: 404 });
      }
      return Response.json(found);
    },
  });
  const origin: string = `http://127.0.0.1:${server.port}`;

  return {
    origin,
    asked,
    mood,
    backs: books.backs,
    sessionOf: books.sessionOf,
    /** Pays an order's session. */
    pay: (order: string) => books.pay(books.sessionOf(order).id),
    back: books.back,
    event: signEvent,
    /** Holds the answers to new sessions back. `made`: resolves when the next session is made. */
    hold() {
      const made = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      held = { made, released };
      const release = () => {
        held = null;
        released.resolve();
      };
      return { made: made.promise, release };
    },
    newest: books.newest,
    close: () => void server.stop(true),
  };
}
