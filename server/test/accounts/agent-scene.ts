/** Agents and their invitees, for the tests of dividends and withdrawals. */

import { expect } from "bun:test";
import {
  listOwnDividends,
  listOwnPurse,
  listWithdrawals,
  readAgent,
} from "@tollgate/contract/agents.ts";
import { noUsage } from "@tollgate/contract/charge.ts";
import { z } from "zod";
import type { Dialect } from "#db/dialect.ts";
import { applyAs } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { proveLedger } from "#modules/ledger/proof/proof.ts";
import { changePrices, installPrices } from "#modules/pricing/pricing.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";
import type { OptionTexts } from "./ports.ts";

/** Quota units of a dollar. */
export const unit = 500_000;

export const dayMs = 86_400_000;

export type AgentScene = Awaited<ReturnType<typeof openAgentScene>>;

/** Opens the console API with the reseller programme on, at 10 per cent. */
export async function openAgentScene(dialect: Dialect) {
  const gateway = await openTestConsole(dialect);
  const { db, clock } = gateway;
  const configure = (more: OptionTexts = {}) =>
    gateway.setOptions({
      AgentsEnabled: "true",
      AgentDividendPercent: "10",
      AgentWithdrawMin: String(unit),
      RootSecondFactorRequired: "false",
      ...more,
    });
  configure();
  // Version 2 prices a token of the model `m` at one quota unit.
  await db.transaction().execute(async (tx) => {
    await installPrices(tx, clock.nowMs);
    const parts = { ModelRatio: { m: "1" } };
    await changePrices(tx, { parts, createdBy: 1, nowMs: clock.nowMs });
  });
  /** Makes a user of whom `inviter` gets the dividends. */
  async function invitee(name: string, inviter: Client): Promise<Client> {
    const client = await gateway.user(name);
    await db
      .updateTable("users")
      .set({ inviter_id: inviter.id })
      .where("id", "=", client.id)
      .execute();
    return client;
  }

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
    configure,
    invitee,
    pay,
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
    ...readersOf(gateway),
  };
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
    quotaOf: async (client: Client) =>
      z.object({ quota: z.number() }).parse((await client.get("/api/user/self")).body.data).quota,
    flaw: async () => (await proveLedger(gateway.db)).flaw,
  };
}
