/** Agents and their invitees, for the tests of dividends and withdrawals. */

import { expect } from "bun:test";
import {
  listOwnDividends,
  listOwnPurse,
  listWithdrawals,
  readAgent,
} from "@tollgate/contract/endpoints/agents.ts";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import { z } from "zod";
import type { Dialect } from "#db/dialect.ts";
import { applyAs } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { changePrices, installPrices } from "#modules/pricing/pricing.ts";
import type { Client, TestConsole } from "./open-console.ts";
import { openPaymentScene, type PaymentScene } from "./payment-scene.ts";
import type { OptionTexts } from "./ports.ts";

/** Quota units of a dollar. */
export const unit = 500_000;

export const dayMs = 86_400_000;

export type AgentScene = Awaited<ReturnType<typeof openAgentScene>>;

/** Opens the console API with an epay gateway and the reseller programme on, at 10 per cent. */
export async function openAgentScene(
  dialect: Dialect,
  given: { readonly stripeUrl?: string } = {},
) {
  const payments = await openPaymentScene(dialect, given);
  const { gateway } = payments;
  const { db, clock } = gateway;
  const configure = (more: OptionTexts = {}) =>
    payments.configure({
      AgentsEnabled: "true",
      AgentDividendPercent: "10",
      AgentWithdrawMin: String(unit),
      ...more,
    });
  configure();
  // Version 2 prices a token of the model `m` at one quota unit.
  await db.transaction().execute(async (tx) => {
    await installPrices(tx, clock.nowMs);
    const parts = { ModelRatio: { m: "1" } };
    await changePrices(tx, { parts, createdBy: 1, nowMs: clock.nowMs });
  });
  /** Has a user redeem a code. */
  async function pay(client: Client, quota: number): Promise<void> {
    const made = await (
      await gateway.root()
    ).post("/api/redemption/", { name: "paid", quota, count: 1 });
    const [key] = z.array(z.string()).parse(made.body.data);
    // Signed in anew, because the clock may have moved past the end of the session.
    const payer = await gateway.signIn(client.username);
    expect((await payer.post("/api/user/topup", { key })).body).toMatchObject({ success: true });
  }

  return {
    ...gateway,
    payments,
    configure,
    invitee: payments.invitee,
    quotaOf: payments.quotaOf,
    pay,
    ...buyingOf(payments),
    spend: openSpending(gateway),
    /** Makes a user an agent whom root has approved. */
    async agent(name: string): Promise<Client> {
      const client = await gateway.user(name);
      expect((await client.post("/api/user/agent/join")).body).toMatchObject({
        success: true,
        data: { state: "requested" },
      });
      const approval = { id: client.id, state: "approved" };
      const answer = await (await gateway.root()).put("/api/agent/", approval);
      expect(answer.body).toMatchObject({ success: true });
      return client;
    },
    /** Moves the clock to half past midnight of the next day, and runs the job of dividends. */
    async nextDay(): Promise<void> {
      clock.nowMs = (Math.floor(clock.nowMs / dayMs) + 1) * dayMs + 30 * 60_000;
      await gateway.runJob("dividends");
    },
    again: async (client: Client) => await gateway.signIn(client.username),
    close: payments.close,
    ...readersOf(gateway),
  };
}

/** What users buy, and how they come into debt. */
function buyingOf(payments: PaymentScene) {
  const { gateway } = payments;

  /** Has a user buy quota for a number of dollars; returns the number of the order. */
  async function buy(client: Client, dollars: number): Promise<string> {
    const payer = await gateway.signIn(client.username);
    const { order } = await payments.start(payer, dollars);
    const paid = payments.epay.callback(order, (dollars * 7.3).toFixed(2));
    expect((await payments.notify(paid)).text).toBe("success");
    return order;
  }

  /** Brings a user into a debt: an order is refunded whose quota is gone. */
  async function owe(client: Client, dollars: number): Promise<void> {
    const order = await buy(client, dollars);
    const boss = await gateway.root();
    const taken = { id: client.id, username: client.username, quota_delta: -dollars * unit };
    expect((await boss.put("/api/user/", taken)).body).toMatchObject({ success: true });
    const refund = `/api/order/${await payments.idOf(order)}/refund`;
    const answer = await boss.post(refund, { reason: "charged back" });
    expect(answer.body).toMatchObject({ data: { state: "done" } });
  }

  return { buy, owe };
}

/** Charges users for calls, as the relay does. */
function openSpending({ db, clock }: TestConsole) {
  let calls = 0;
  return async (client: Client, quota: number): Promise<void> => {
    calls += 1;
    const id = `call-${client.id}-${calls}`;
    const log = chargedLog({
      requestId: id,
      tokenId: 0,
      userId: client.id,
      username: client.username,
      tokenName: "",
      modelName: "m",
      usage: { ...noUsage, input: quota },
      priceVersion: 2,
      createdAt: Math.floor(clock.nowMs / 1_000),
    });
    const operation = { type: "settle", id, tokenLimited: false, charge: quota } as const;
    await applyAs(db, "node-1", [{ ...operation, charged: null, log }]);
  };
}

/** What people see of dividends and purses, and what the audit says. */
function readersOf(gateway: TestConsole) {
  return {
    infoOf: async (client: Client) =>
      readAgent.output.parse((await client.get("/api/user/agent")).body.data),
    dividendsOf: async (client: Client) =>
      listOwnDividends.output.parse((await client.get("/api/user/agent/dividends")).body.data)
        .items,
    purseOf: async (client: Client) =>
      listOwnPurse.output.parse((await client.get("/api/user/agent/purse")).body.data).items,
    withdrawals: async () =>
      listWithdrawals.output.parse(
        (await (await gateway.root()).get("/api/agent/withdrawals")).body.data,
      ).items,
    flaw: async () => (await proveLedger(gateway.db)).flaw,
  };
}
