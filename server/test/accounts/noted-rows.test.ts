import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { findNotedFlaw } from "#modules/proof/proof-noted.ts";
import { type AgentScene, openAgentScene, unit } from "./agent-scene.ts";
import { type Client, testPassword } from "./open-console.ts";

class Undone extends Error {}

/** Changes rows behind the product's back, and returns what the audit then says of them. */
async function flawAfter(db: Db, changes: readonly RawBuilder<unknown>[]) {
  let flaw: Awaited<ReturnType<typeof findNotedFlaw>> = null;
  const undone = db.transaction().execute(async (tx) => {
    for (const change of changes) await change.execute(tx);
    flaw = await findNotedFlaw(tx);
    throw new Undone();
  });
  await expect(undone).rejects.toBeInstanceOf(Undone);
  return flaw;
}

for (const dialect of testDialects) {
  describe(`rows that the audit log proves on ${dialect}`, () => {
    let scene: AgentScene;
    let alice: Client;
    /** A token with a limit and one without. */
    let limited = 0;
    let free = 0;
    beforeAll(async () => {
      scene = await openAgentScene(dialect);
      const earner = await scene.agent("earner");
      const { aff_code } = await scene.db
        .selectFrom("users")
        .select("aff_code")
        .where("id", "=", earner.id)
        .executeTakeFirstOrThrow();
      const account = { username: "payer", password: testPassword, aff_code };
      await scene.call("POST", "/api/user/register", { body: account });
      const payer = await scene.signIn("payer");
      await scene.pay(payer, 100 * unit);
      await scene.buy(payer, 10);
      await scene.spend(payer, 90 * unit);
      await scene.nextDay();
      await scene.runJob("dividends");
      alice = await scene.user("alice");
      const made = async (fields: object) =>
        Number(((await alice.post("/api/token/", fields)).body.data as { id: number }).id);
      limited = await made({ name: "limited", remain_quota: 500, budget_day: 90 });
      free = await made({ name: "free", unlimited_quota: true, expired_time: -1 });
    });
    afterAll(async () => await scene.close());

    const isWhole = async () => {
      expect(await findNotedFlaw(scene.db)).toBeNull();
      expect((await proveLedger(scene.db)).flaw).toBeNull();
      expect(await verifyAudit(scene.db)).toMatchObject({ ok: true });
    };

    test("an altered limit, budget, role, group, inviter, agent, closed day or top-up row is named", async () => {
      await isWhole();
      const { id } = alice;
      const earner = sql`(select id from users where username = 'earner')`;
      const topUp = sql`(select max(id) from logs where type = 1)`;
      const raised = sql`update token_balances set granted = granted + 9, remain = remain + 9`;
      for (const { table, changes, row } of [
        ...[
          "role = 100",
          "\"group\" = 'vip'",
          "inviter_id = 1",
          "status = 2",
          "aff_code = 'XXXX'",
        ].map((set) => ({
          table: "users",
          changes: [sql`update users set ${sql.raw(set)} where id = ${id}`],
          row: `id=${id}`,
        })),
        ...[
          "budget_day = 900",
          "model_limits = 'm'",
          "expired_time = 1",
          "unlimited_quota = 1",
          "rate_limit_count = 3",
          "allow_ips = '::1'",
          "status = 2",
          "lookup = 'other'",
          "user_id = 1",
        ].map((set) => ({
          table: "tokens",
          changes: [sql`update tokens set ${sql.raw(set)} where id = ${limited}`],
          row: `id=${limited}`,
        })),
        ...[limited, free].map((token) => ({
          table: "tokens",
          changes: [sql`${raised} where token_id = ${token}`],
          row: `id=${token}`,
        })),
        {
          table: "affiliates",
          changes: [sql`update affiliates set aff_count = aff_count + 1 where user_id = ${earner}`],
        },
        {
          table: "agents",
          changes: [sql`update agents set rate_bp = 5000 where user_id = ${earner}`],
        },
        { table: "agents", changes: [sql`delete from agents where user_id = ${earner}`] },
        { table: "dividend_days", changes: [sql`update dividend_days set closed_at = 0`] },
        { table: "dividend_days", changes: [sql`delete from dividend_days`] },
        {
          table: "dividend_days",
          changes: [
            sql`insert into dividend_days (day, claimed_by, claimed_until, closed_at)
            values (9, '', 0, 9)`,
          ],
        },
        { table: "logs", changes: [sql`update logs set content = 'x' where id = ${topUp}`] },
        { table: "logs", changes: [sql`update logs set user_id = 1 where id = ${topUp}`] },
        { table: "logs", changes: [sql`update logs set type = 4 where id = ${topUp}`] },
        { table: "logs", changes: [sql`delete from logs where id = ${topUp}`] },
      ].map((one) => ({ row: "", ...one }))) {
        const flaw = await flawAfter(scene.db, changes);
        expect([changes.length, flaw]).toMatchObject([1, { check: "T14", table }]);
        if (row !== "") expect(flaw).toMatchObject({ row });
      }
    });

    test("what the console and calls change is right, and covers nothing that was altered before", async () => {
      const put = async (fields: object) =>
        expect((await alice.put("/api/token/", fields)).body).toMatchObject({ success: true });
      await put({ id: limited, remain_quota: 700, model_limits_enabled: true, model_limits: "m" });
      await put({ id: limited, budget_day: 0, unlimited_quota: true });
      await put({ id: limited, unlimited_quota: false });
      await put({ id: free, name: "renamed" });
      await alice.put("/api/token/?status_only=true", { id: free, status: 2 });
      const boss = await scene.root();
      await boss.put("/api/user/", { id: alice.id, group: "vip", display_name: "Alice" });
      await boss.post("/api/user/manage", { id: alice.id, action: "promote" });
      // A change of rights has ended the session.
      alice = await scene.signIn("alice");
      await alice.put("/api/user/self", { display_name: "A." });
      await isWhole();

      await sql`update users set role = 100 where id = ${alice.id}`.execute(scene.db);
      await sql`update tokens set budget_week = 5 where id = ${free}`.execute(scene.db);
      await put({ id: free, name: "again", budget_day: 3 });
      await boss.put("/api/user/", { id: alice.id, group: "default" });
      const flaw = await findNotedFlaw(scene.db);
      expect(flaw).toMatchObject({ table: "users", row: `id=${alice.id}` });
      expect(flaw?.reason).toStartWith("role:");
      await sql`update users set role = 10 where id = ${alice.id}`.execute(scene.db);
      expect((await findNotedFlaw(scene.db))?.reason).toStartWith("budget_week:");
      await sql`update tokens set budget_week = 0 where id = ${free}`.execute(scene.db);
      await isWhole();
    });

    test("a token that has had a limit and none has at most what it was given", async () => {
      const more = sql`update token_balances set granted = granted + 9, remain = remain + 9
        where token_id = ${limited}`;
      expect(await flawAfter(scene.db, [more])).toMatchObject({ row: `id=${limited}` });
    });
  });
}
