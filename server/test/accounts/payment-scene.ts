/** Users who pay through an epay gateway, for the tests of payments. */

import { expect } from "bun:test";
import { listOwnOrders, readOrder } from "@tollgate/contract/endpoints/orders.ts";
import { z } from "zod";
import type { Dialect } from "#db/dialect.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { openEpayGateway } from "./epay-gateway.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

const orderShape = listOwnOrders.output.shape.items.element;

/** Quota units of a dollar. */
export const unit = 500_000;
export const merchant = { pid: "1001", key: "k3yFORtests0123456789" };

const started = z.object({
  success: z.boolean(),
  message: z.string(),
  data: z.record(z.string(), z.string()),
  url: z.string(),
  order: z.string(),
});

export type PaymentScene = Awaited<ReturnType<typeof openPaymentScene>>;

/** Opens the console API with an epay gateway that is set up. */
export async function openPaymentScene(
  dialect: Dialect,
  given: { readonly stripeUrl?: string } = {},
) {
  const gateway = await openTestConsole(dialect, given);
  const epay = openEpayGateway(merchant);
  const configure = (more: Record<string, string> = {}) =>
    gateway.setOptions({
      PayAddress: epay.origin,
      EpayId: merchant.pid,
      EpayKey: merchant.key,
      ServerAddress: "https://gate.example",
      RootSecondFactorRequired: "false",
      ...more,
    });
  const root = async () => await gateway.root();
  const payer = async (name: string) => await gateway.user(name);
  const start = async (client: Client, amount: unknown = 10, method = "zfb") =>
    started.parse(
      (await client.post("/api/user/pay", { amount, top_up_code: "", payment_method: method }))
        .body,
    );
  const quotaOf = async (client: Client) =>
    z.object({ quota: z.number() }).parse((await client.get("/api/user/self")).body.data).quota;
  const notify = async (fields: Record<string, string>, how: "get" | "post" = "get") =>
    await gateway.callRaw(`/api/user/epay/notify`, fields, how);
  const check = async (client: Client, number: string, query = "") =>
    orderShape.parse((await client.post("/api/user/topup/check", { number, query })).body.data);
  const proven = async () => expect((await proveLedger(gateway.db)).flaw).toBeNull();
  const credits = async (number: string) =>
    await gateway.db
      .selectFrom("entries")
      .select(["amount", "kind"])
      .where("cause", "=", `topup:${number}`)
      .execute();
  const idOf = async (number: string) =>
    (
      await gateway.db
        .selectFrom("orders")
        .select("id")
        .where("number", "=", number)
        .executeTakeFirstOrThrow()
    ).id;
  configure();
  return {
    gateway,
    ...inviteesOf(gateway),
    epay,
    configure,
    root,
    payer,
    start,
    quotaOf,
    notify,
    check,
    proven,
    credits,
    idOf,
    async details(id: number) {
      return readOrder.output.parse((await (await root()).get(`/api/order/${id}`)).body.data);
    },
    async close() {
      epay.close();
      await gateway.close();
    },
  };
}

/** Users whom others have invited, and what they spend. */
function inviteesOf({ db, clock, user }: TestConsole) {
  return {
    /** Makes a user whom another has invited. */
    async invitee(name: string, inviter: Client): Promise<Client> {
      const client = await user(name);
      await db
        .updateTable("users")
        .set({ inviter_id: inviter.id })
        .where("id", "=", client.id)
        .execute();
      return client;
    },
    /** Counts spending of a user in the present hour. */
    async spent(client: Client, quota: number): Promise<void> {
      const now = Math.floor(clock.nowMs / 1_000);
      await db
        .insertInto("usage_hours")
        .values({
          hour: now - (now % 3_600),
          user_id: client.id,
          token_id: 0,
          channel_id: 0,
          model_name: "m",
          group: "default",
          quota,
          request_count: 1,
          prompt_tokens: 0,
          completion_tokens: 0,
        })
        .execute();
    },
  };
}
