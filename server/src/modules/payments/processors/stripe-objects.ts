/** What Stripe's objects mean, whatever version of its API wrote them. */

import { z } from "zod";
import type { Reading } from "./processor.ts";

const metadata = z.record(z.string(), z.string()).nullish();
const whole = z.number().int().nonnegative();

const sessionShape = z.object({
  id: z.string(),
  object: z.literal("checkout.session"),
  client_reference_id: z.string().nullish(),
  metadata,
  livemode: z.boolean(),
  payment_status: z.string(),
  payment_intent: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
  amount_total: whole.nullish(),
  currency: z.string().nullish(),
});

/** An expanded payment; the metadata of ours name the order. */
const paymentShape = z.union([z.string(), z.object({ id: z.string(), metadata })]).nullish();

export const refundShape = z.object({
  id: z.string(),
  amount: whole,
  currency: z.string(),
  metadata,
  payment_intent: paymentShape,
  status: z.string().nullish(),
});

export const disputeShape = z.object({
  id: z.string(),
  amount: whole,
  currency: z.string(),
  payment_intent: paymentShape,
  status: z.string(),
});

const named = z.object({ metadata });

/** Returns the order that an object names; empty: none. */
export function orderOf(sent: unknown): string {
  return named.safeParse(sent).data?.metadata?.["tollgate_order"] ?? "";
}

/** Reads a Checkout session. A session that this server did not create is ignored. */
export function readSession(sent: unknown, isLive: boolean): Reading {
  const parsed = sessionShape.safeParse(sent);
  if (!parsed.success) return { kind: "refused", why: "a field is missing", number: "" };
  const session = parsed.data;
  const number = orderOf(session);
  if (number === "") return { kind: "ignored" };
  const refused = (why: string): Reading => ({ kind: "refused", why, number });
  if (session.client_reference_id !== number) return refused("another order");
  if (session.livemode !== isLive) return refused("another mode");
  if (session.payment_status !== "paid") return { kind: "pending", number };
  const { amount_total: money, currency, payment_intent: payment } = session;
  const externalId = typeof payment === "string" ? payment : (payment?.id ?? "");
  if (externalId === "" || !money || !currency) return refused("a field is missing");
  return { kind: "paid", fact: { number, externalId, money, currency } };
}

/** Returns the order of an expanded payment; undefined: it is not for an order of this server. */
export function paymentOf(
  payment: z.output<typeof paymentShape>,
): { readonly number: string; readonly externalId: string } | undefined {
  if (payment === null || payment === undefined || typeof payment === "string") return undefined;
  const number = orderOf(payment);
  return number === "" ? undefined : { number, externalId: payment.id };
}

/** Returns what a refund's status means for its quota. */
export function refundState(status: string): "asked" | "done" | "refused" {
  if (status === "succeeded") return "done";
  return status === "failed" || status === "canceled" ? "refused" : "asked";
}

/**
 * Returns what a dispute's status means for its quota, which is given back when it is won;
 * undefined: it is an inquiry, which takes no money.
 */
export function disputeState(status: string): "asked" | "done" | "refused" | undefined {
  if (status.startsWith("warning_") || status === "prevented") return undefined;
  if (status === "won") return "refused";
  return status === "lost" ? "done" : "asked";
}
