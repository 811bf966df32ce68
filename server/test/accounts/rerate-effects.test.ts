/** What a re-rate leaves as it is: budgets of tokens, and the dividends of days that are closed. */

import { afterEach, describe, expect, test } from "bun:test";
import { charge, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { testDialects } from "#db/testing/database.ts";
import { openCloseDays } from "#modules/agents/close-days.ts";
import { claimBudgets } from "#modules/ledger/budgets/budgets.ts";
import { refundCharge } from "#modules/ledger/ledger.ts";
import { closeTestBooks, setUpMs, settle } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { bindStores } from "./ports.ts";
import { openRerateScene } from "./rerate-scene.ts";

afterEach(closeTestBooks);

const daySeconds = 86_400;
const firstDay = Math.floor(setUpMs / 1_000 / daySeconds);
const callAt = Math.floor(setUpMs / 1_000) + 600;

const readBudgets = async (db: Db) =>
  await db.selectFrom("token_budgets").selectAll().orderBy("starts_at").execute();

const readDividends = async (db: Db) =>
  await db
    .selectFrom("dividends")
    .select(["day", "invitee_id", "base", "dividend"])
    .orderBy("day")
    .orderBy("invitee_id")
    .execute();

/** Prices that are all above those of the calls. */
const dearer = { "gpt-4o": "3", o1: "9", "gpt-4o-mini": "2" };

/** Calls of users whom an agent has invited, who have paid more than they spend. */
async function openInvited(dialect: Dialect) {
  const scene = await openRerateScene(dialect, 30, dearer);
  const { db, pass } = scene;
  const { agents, redemptions } = bindStores(db);
  const by = { actor: { userId: 1, username: "root", clientIp: "" }, nowMs: setUpMs - 1_000 };
  await agents.join({ approval: false }, by);
  const codes = [2, 3].map((id) => ({ lookup: `code-${id}`, sealed: "" }));
  const settings = { name: "paid", quota: 50_000_000, group: "", user_limit: 0 };
  await redemptions.createRedemptions(
    { ...settings, expired_time: 0, batch_id: "paid", codes },
    by,
  );
  for (const userId of [2, 3]) {
    await db.updateTable("users").set({ inviter_id: 1 }).where("id", "=", userId).execute();
    const lookup = `code-${userId}`;
    await redemptions.redeem({ lookup, userId, clientIp: "", nowMs: setUpMs });
  }
  let runs = 0;
  const close = openCloseDays({
    store: agents,
    enabled: () => true,
    rateBp: () => 1_000,
    newRun: () => `run-${(runs += 1)}`,
    now: () => pass(0),
  });
  return { ...scene, close };
}

for (const dialect of testDialects) {
  describe(`beside a re-rate on ${dialect}`, () => {
    test("what a token has spent of its budgets stays, also when the charge is taken back, and a refund gives back what was counted", async () => {
      const scene = await openRerateScene(dialect, 5, dearer);
      const { apply, audit, begin, db, list, preview, pass, undo, work } = scene;
      const usage = { ...noUsage, input: 4_000, output: 100 };
      const price = unitPrice(list, "gpt-4o", "default");
      if (price === undefined) throw new Error("no price");
      const due = charge(price, usage);
      const budget = claimBudgets({ day: due * 3, week: 0, month: due * 9 }, "UTC", callAt);
      const of = { id: "budgeted", userId: 2, tokenId: 2, budget };
      const log = chargedLog({
        requestId: of.id,
        userId: 2,
        tokenId: 2,
        usage,
        createdAt: callAt,
      });
      await apply([{ type: "budget", tokenId: 2, budget }]);
      await apply([{ ...settle(due, of), log } as ReturnType<typeof settle>]);
      const before = await readBudgets(db);
      expect(before.map(({ spent }) => spent)).toEqual([due, due]);

      const { id } = await preview();
      const done = await work(await begin(id), 3);
      const { rerated } = await db
        .selectFrom("logs")
        .select("rerated")
        .where("request_id", "=", of.id)
        .executeTakeFirstOrThrow();
      expect(rerated).toBeGreaterThan(0);
      expect(await readBudgets(db)).toEqual(before);
      expect(await audit()).toBe("");
      await work(await undo(done.id));
      expect(await readBudgets(db)).toEqual(before);

      await work(await begin((await preview()).id));
      const refund = await db.transaction().execute(
        async (tx) =>
          await refundCharge(tx, {
            requestId: of.id,
            userId: 2,
            tokenId: 2,
            tokenLimited: true,
            modelName: log.modelName,
            group: log.group,
            detail: "",
            nowMs: pass(5_000),
          }),
      );
      expect(refund).toMatchObject({ amount: due, rerated });
      expect((await readBudgets(db)).map(({ spent }) => spent)).toEqual([0, 0]);
    }, 60_000);

    test("dividends of closed days stay, and the difference counts on the day of the re-rate", async () => {
      const { audit, begin, close, db, pass, preview, undo, work } = await openInvited(dialect);
      await close();
      const closed = await readDividends(db);
      expect(closed.map(({ day, invitee_id }) => [day, invitee_id])).toEqual([
        [firstDay, 2],
        [firstDay, 3],
      ]);
      const { id, result } = await preview();
      const changeOf = (user: number): number => {
        const row = result.users.items.find((one) => one.id === user);
        return (row?.after ?? 0) - (row?.before ?? 0);
      };
      const done = await work(await begin(id));
      expect(await readDividends(db)).toEqual(closed);
      pass(daySeconds * 1_000);
      await close();
      const later = [2, 3].map((user) => ({
        day: firstDay + 3,
        invitee_id: user,
        base: changeOf(user),
        dividend: Math.floor(changeOf(user) / 10),
      }));
      expect(await readDividends(db)).toEqual([...closed, ...later]);
      expect(await audit()).toBe("");

      await work(await undo(done.id));
      pass(2 * daySeconds * 1_000);
      await close();
      // What was earned stays; what is spent later first makes up for what was taken back.
      expect(await readDividends(db)).toEqual([...closed, ...later]);
      expect(await audit()).toBe("");
    }, 60_000);

    test("a day that is closed late earns what was spent until then, and not what was charged again later", async () => {
      const { audit, begin, close, db, pass, preview, work } = await openInvited(dialect);
      const { id, result } = await preview();
      await work(await begin(id));
      pass(daySeconds * 1_000);
      await close();
      const dividends = await readDividends(db);
      const of = (user: number) => result.users.items.find((one) => one.id === user);
      expect(dividends.map(({ day, invitee_id, base }) => [day, invitee_id, base])).toEqual([
        [firstDay, 2, of(2)?.before ?? 0],
        [firstDay, 3, of(3)?.before ?? 0],
        [firstDay + 3, 2, (of(2)?.after ?? 0) - (of(2)?.before ?? 0)],
        [firstDay + 3, 3, (of(3)?.after ?? 0) - (of(3)?.before ?? 0)],
      ]);
      expect(await audit()).toBe("");
    }, 60_000);
  });
}
