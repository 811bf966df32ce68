/** What tests of payments at Stripe do: order, pay, and send webhooks. */

import { expect } from "bun:test";
import { z } from "zod";
import type { Client } from "./open-console.ts";
import type { PaymentScene } from "./payment-scene.ts";
import { type StripeServer, stripeKeys } from "./stripe-server.ts";

export const stripeOptions = {
  StripeApiSecret: stripeKeys.api,
  StripeWebhookSecret: stripeKeys.webhook,
  StripeUnitPrice: "1.1",
};

const account = z.object({ quota: z.number(), debt: z.number() });

type Given = { readonly scene: PaymentScene; readonly stripe: StripeServer };

/** @param given tells of the suite's servers, which are open when its tests run. */
export function stripeSteps(given: () => Given) {
  const start = async (client: Client, amount: unknown = 10) => {
    const { body } = await client.post("/api/user/stripe/pay", { amount });
    return z.looseObject({ success: z.boolean(), url: z.string(), order: z.string() }).parse(body);
  };
  const send = async (signed: { readonly body: string; readonly signature: string }) =>
    await given().scene.gateway.callRawText("/api/user/stripe/notify", signed.body, {
      "content-type": "application/json",
      "stripe-signature": signed.signature,
    });
  const at = (more: object = {}) => ({ atMs: given().scene.gateway.clock.nowMs, ...more });
  const completed = async (order: string, change: object = {}) =>
    await given().stripe.event(
      "checkout.session.completed",
      { ...given().stripe.sessionOf(order), ...change },
      at(),
    );
  const stateOf = async (client: Client) =>
    account.parse((await client.get("/api/user/self")).body.data);
  const bought = async (name: string, inviter?: Client) => {
    const client = await (inviter === undefined
      ? given().scene.payer(name)
      : given().scene.invitee(name, inviter));
    const { order } = await start(client);
    given().stripe.pay(order);
    expect((await send(await completed(order))).text).toBe("success");
    return { client, order };
  };

  return { start, send, at, completed, stateOf, bought };
}
