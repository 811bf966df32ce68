import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import {
  allowEverything,
  alter,
  alterRow,
  isRow,
  listColumns,
  proveWith,
  type Row,
} from "#modules/proof/testing/alter-rows.ts";
import { type AgentScene, openAgentScene, unit } from "./agent-scene.ts";
import { stripeOptions, stripeSteps } from "./stripe-scene.ts";
import { openStripeServer, type StripeServer } from "./stripe-server.ts";

/**
 * The tables by which money comes in and goes out, with the columns that name their rows in a flaw.
 * `unproven`: the columns that the proof does not cover, and of which rows.
 */
const tables: Readonly<
  Record<
    string,
    { readonly names: readonly string[]; readonly unproven?: (column: string, row: Row) => boolean }
  >
> = {
  agent_invitees: { names: ["invitee_id"] },
  agents: { names: ["user_id"] },
  balances: { names: ["user_id"] },
  dividends: { names: ["day", "invitee_id"] },
  earning_entries: { names: ["user_id"] },
  earnings: { names: ["user_id"] },
  entries: { names: ["user_id", "cause"] },
  orders: {
    names: ["id", "number", "user_id"],
    // Nothing refers to the id of an order that was never paid.
    unproven: (column, row) => column === "id" && row["paid_at"] === 0,
  },
  order_refunds: { names: ["id", "order_id"] },
  redemptions: {
    names: ["id", "used_user_id"],
    // Nothing refers to the id of a code that nobody has redeemed.
    unproven: (column, row) => column === "id" && row["used_user_id"] === 0,
  },
  withdrawals: { names: ["id"] },
};

/** Other tables that have amounts, and what proves them, or why nothing needs to. */
const others: Readonly<Record<string, string>> = {
  caller_totals: "proof.test.ts",
  channels: "what providers say of their balances",
  counters: "proof.test.ts",
  logs: "proof.test.ts",
  model_totals: "proof.test.ts",
  money_notices: "texts of notices",
  notification_settings: "from when on a user wants notices",
  opening_counters: "import.test.ts",
  prompt_cache_hours: "estimates for the dashboard, from which no money follows",
  reservations: "proof.test.ts",
  tasks: "the log rows and entries of their charges are proven",
  token_balances: "proof.test.ts",
  token_budgets: "budgets.test.ts",
  tokens: "their quota is in token_balances",
  usage_hours: "proof.test.ts",
  usage_totals: "proof.test.ts",
};

/** Brings rows of every kind into the tables. */
async function makeHistory(scene: AgentScene, stripe: StripeServer): Promise<void> {
  const { agent, buy, configure, invitee, owe, pay, payments, root, runJob, spend, user } = scene;
  const { epay, idOf, start } = payments;
  const options = { ...stripeOptions, TopUpRebatePercent: "5" };
  configure(options);
  const steps = stripeSteps(() => ({ scene: payments, stripe }));
  const boss = await root();
  const refund = async (order: string, money?: number) => {
    const path = `/api/order/${await idOf(order)}/refund`;
    expect((await boss.post(path, { money, reason: "asked for it" })).body.success).toBe(true);
  };

  // Codes that are used, open, disabled and deleted.
  const shop = await user("shop");
  await pay(shop, 700);
  const batch = { name: "left", quota: 9, count: 3, group: "vip", user_limit: 1 };
  await boss.post("/api/redemption/", batch);
  const codes = scene.db.selectFrom("redemptions").select("id").where("name", "=", "left");
  const [open, off, gone] = (await codes.orderBy("id").execute()).map(({ id }) => id);
  expect(open).toBeDefined();
  await boss.put("/api/redemption/?status_only=true", { id: off, status: 2 });
  await boss.delete(`/api/redemption/${gone}/`);

  // Orders that are paid, open, credited by hand and refunded in every way.
  const inviter = await user("inviter");
  const guest = await invitee("guest", inviter);
  await start(guest, 3);
  const byHand = await start(guest, 2);
  await boss.post(`/api/order/${await idOf(byHand.order)}/settle`, { reason: "seen it" });
  const returned = await buy(guest, 10);
  await refund(returned, 730);
  epay.refusesRefunds = true;
  await refund(returned, 730);
  epay.refusesRefunds = false;
  epay.answer = "<html>";
  await refund(returned, 365);
  epay.answer = null;
  await owe(guest, 1);
  const carded = await steps.bought("carded");
  const late = stripe.back("refund", carded.order, 100, "failed");
  await steps.send(await stripe.event("refund.failed", late, steps.at()));
  const dispute = stripe.back("dispute", carded.order, 500, "needs_response");
  await steps.send(await stripe.event("charge.dispute.created", dispute, steps.at()));
  await inviter.post("/api/user/aff_transfer", { quota: unit });

  // Agents in every state; dividends that are credited and that earn nothing; every withdrawal.
  const earner = await agent("earner");
  const idle = await agent("idle");
  await (await user("asking")).post("/api/user/agent/join");
  await boss.put("/api/agent/", { id: idle.id, state: "suspended", rate_bp: 50 });
  for (const [name, owner] of [
    ["payer", earner],
    ["idler", idle],
  ] as const) {
    const one = await invitee(name, owner);
    await pay(one, 100 * unit);
    await spend(one, 90 * unit);
  }
  await scene.nextDay();
  await runJob("dividends");
  const rich = await scene.again(earner);
  expect((await scene.infoOf(rich)).balance).toBe(9 * unit);
  await rich.post("/api/user/agent/transfer", { quota: unit });
  for (const how of ["pay", "reject", ""]) {
    const asked = await rich.post("/api/user/agent/withdraw", { quota: unit, payee: "me" });
    expect(asked.body).toMatchObject({ success: true });
    const [newest] = await scene.withdrawals();
    const path = `/api/agent/withdrawals/${newest?.id}/${how}`;
    if (how !== "") await (await root()).post(path, { note: "by hand" });
  }
}

async function rowsOf(db: Db, table: string): Promise<readonly Row[]> {
  return (await sql<Row>`select * from ${sql.table(table)}`.execute(db)).rows;
}

/** Keeps one row of each kind, because what proves a row depends on its state. */
function oneOfEach(table: string, rows: readonly Row[]): readonly Row[] {
  const kindOf = (row: Row) => {
    const { state, status, kind, paid_at, quota, dividend, account } = row;
    const marks = [state, status, kind, account, quota === 0, dividend === 0];
    return JSON.stringify([table, ...marks, paid_at === 0, row["DeletedAt"] ?? ""]);
  };
  return [...new Map(rows.map((row) => [kindOf(row), row])).values()];
}

for (const dialect of testDialects) {
  describe(`altered rows on ${dialect}`, () => {
    let scene: AgentScene;
    let stripe: StripeServer;
    beforeAll(async () => {
      stripe = openStripeServer();
      scene = await openAgentScene(dialect, { stripeUrl: stripe.origin });
      await makeHistory(scene, stripe);
      const numbered = ["orders", "order_refunds", "redemptions", "withdrawals"];
      await allowEverything(scene.db, dialect, numbered);
    }, 60_000);
    afterAll(async () => {
      stripe.close();
      await scene.close();
    });

    test("P-M12: every column of every table of money in is proven: the audit names each altered row", async () => {
      expect(await scene.flaw()).toBeNull();
      for (const [table, { names, unproven }] of Object.entries(tables)) {
        const columns = await listColumns(scene.db, dialect, table);
        const rows = oneOfEach(table, await rowsOf(scene.db, table));
        expect([table, rows.length > 0]).toEqual([table, true]);
        for (const [at, column] of columns.entries()) {
          // SQLite proves in milliseconds; on PostgreSQL each column is altered in one row.
          const altered =
            dialect === "sqlite" ? rows : rows.filter((_, n) => n === at % rows.length);
          for (const row of altered) {
            if (unproven?.(column, row) === true) continue;
            const value = alter(column, row[column] ?? null);
            const { flaw } = await proveWith(scene.db, async (tx) => {
              await alterRow(tx, table, row, [column, value]);
            });
            const said = flaw?.row.split(/[ =:]/) ?? [];
            const known = names.flatMap((name) => [row[name], name === column ? value : row[name]]);
            const isNamed = known.some((one) => said.includes(String(one)));
            expect([table, column, isNamed ? "named" : flaw]).toEqual([table, column, "named"]);
          }
        }
      }
    }, 60_000);

    test("P-M12: the audit names a paid order, a refund, a dividend, a withdrawal or an entry that was removed", async () => {
      const moved = {
        agent_invitees: ({ counted }: Row) => counted !== 0,
        dividends: () => true,
        earning_entries: () => true,
        earnings: ({ entry_count }: Row) => entry_count !== 0,
        entries: () => true,
        order_refunds: ({ quota }: Row) => quota !== 0,
        orders: ({ paid_at }: Row) => paid_at !== 0,
        redemptions: ({ used_user_id }: Row) => used_user_id !== 0,
        withdrawals: () => true,
      };
      for (const [table, isMoved] of Object.entries(moved)) {
        const rows = oneOfEach(table, (await rowsOf(scene.db, table)).filter(isMoved));
        for (const row of dialect === "sqlite" ? rows : rows.slice(0, 1)) {
          const { flaw } = await proveWith(
            scene.db,
            async (tx) =>
              await sql`delete from ${sql.table(table)} where ${isRow(row)}`.execute(tx),
          );
          expect([table, row, flaw === null]).toEqual([table, row, false]);
        }
      }
    });

    test("P-M12: a table with amounts is proven, or says why it need not be", async () => {
      const query =
        dialect === "sqlite"
          ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
          : sql<{ name: string }>`
              select table_name as name from information_schema.tables where table_schema = 'public'`;
      const { rows } = await query.execute(scene.db);
      const untold: string[] = [];
      for (const { name } of rows) {
        const columns = await listColumns(scene.db, dialect, name);
        const hasAmounts = columns.some((column) =>
          /quota|money|amount|balance|dividend|debt|earned|spent|remain|cost/.test(column),
        );
        if (hasAmounts && !(name in tables) && !(name in others)) untold.push(name);
      }
      expect(untold.toSorted()).toEqual([]);
    });
  });
}
