/** Past calls that are charged again by a saved version of prices, and what proves it. */

import { afterEach, describe, expect, test } from "bun:test";
import { charge, noUsage, priceList, unitPrice } from "@tollgate/contract/money/charge.ts";
import * as previews from "@tollgate/contract/endpoints/price-previews.ts";
import * as contract from "@tollgate/contract/endpoints/rerates.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { refundCharge } from "#modules/ledger/ledger.ts";
import { closeTestBooks } from "#modules/ledger/testing/books.ts";
import { markRefunded } from "#modules/logs/logs.ts";
import { openRerateScene as open } from "./rerate-scene.ts";

afterEach(closeTestBooks);

/** What a re-rate changes, and what it leaves as it is. */
async function stateOf(db: Db) {
  return {
    balances: await db
      .selectFrom("balances")
      .select(["user_id", "balance", "used", "held", "debt"])
      .orderBy("user_id")
      .execute(),
    tokens: await db.selectFrom("token_balances").selectAll().orderBy("token_id").execute(),
    hours: await db
      .selectFrom("usage_hours")
      .selectAll()
      .orderBy("hour")
      .orderBy("user_id")
      .orderBy("model_name")
      .execute(),
    counters: await db.selectFrom("counters").selectAll().orderBy("kind").orderBy("id").execute(),
    rows: await db
      .selectFrom("logs")
      .select(["id", "quota", "refunded", "rerated", "reversed"])
      .where("type", "=", 2)
      .orderBy("id")
      .execute(),
  };
}

for (const dialect of testDialects) {
  describe(`a re-rate on ${dialect}`, () => {
    test("preview, re-rate and full recomputation are the same to the unit, through twenty deaths, and taken back everything is as before", async () => {
      const { db, audit, begin, list, preview, undo, version, work } = await open(dialect);
      const before = await stateOf(db);
      const { id: name, result } = await preview();
      const { totals } = result;
      expect(totals.calls).toBe(60);
      const rerate = await work(await begin(name), 20);
      const change = totals.after - totals.before;
      expect(change).not.toBe(0);
      expect(rerate).toMatchObject({ state: "done", calls: 60, done: 60, expected: change });
      expect(rerate.raised - rerate.lowered).toBe(change);
      expect(rerate.raised).toBeGreaterThan(0);
      expect(rerate.lowered).toBeGreaterThan(0);

      const { content } = await db
        .selectFrom("price_versions")
        .select("content")
        .where("id", "=", version)
        .executeTakeFirstOrThrow();
      const lists = { 1: list, 2: priceList.parse(JSON.parse(content)) };
      const rows = await db.selectFrom("logs").selectAll().where("type", "=", 2).execute();
      let sum = 0;
      for (const row of rows) {
        const price = unitPrice(lists[2], row.model_name, row.group);
        if (price === undefined) throw new Error("no price");
        const due = charge(price, { ...noUsage, ...JSON.parse(row.usage) });
        expect(row.quota + row.rerated).toBe(due);
        sum += due;
      }
      expect(sum).toBe(totals.after);
      const hours = await db.selectFrom("usage_hours").select("quota").execute();
      expect(hours.reduce((total, { quota }) => total + Number(quota), 0)).toBe(sum);
      expect(await audit()).toBe("");

      const back = await work(await undo(rerate.id), 5);
      expect(back).toMatchObject({ state: "done", expected: 0 - change, skipped_calls: 0 });
      expect(await stateOf(db)).toEqual(before);
      expect(await audit()).toBe("");
    }, 120_000);

    test("what a user does not have is skipped, or becomes a debt if root says so, and taken back the debt goes first", async () => {
      const dearer = { "gpt-4o": "9", o1: "9" };
      const scene = await open(dialect, 30, dearer);
      const { db, audit, begin, credit, preview, undo, work } = scene;
      const { balance } = await db
        .selectFrom("balances")
        .select("balance")
        .where("user_id", "=", 3)
        .executeTakeFirstOrThrow();
      await credit(3, 10 - balance, "taken");
      const before = await stateOf(db);
      const { id, result } = await preview();
      const change = result.totals.after - result.totals.before;
      const skipping = await work(await begin(id));
      expect(skipping.skipped_calls).toBeGreaterThan(0);
      expect(skipping.raised - skipping.lowered + skipping.skipped).toBe(change);
      expect(skipping.owed).toBe(0);
      expect(await audit()).toBe("");
      await work(await undo(skipping.id));
      expect(await stateOf(db)).toEqual(before);

      const again = await preview();
      const owing = await work(await begin(again.id, "debt"));
      expect(owing).toMatchObject({ skipped_calls: 0, skipped: 0, expected: change });
      expect(owing.owed).toBeGreaterThan(0);
      const { debt } = await db
        .selectFrom("balances")
        .select("debt")
        .where("user_id", "=", 3)
        .executeTakeFirstOrThrow();
      expect(debt).toBe(owing.owed);
      expect(await audit()).toBe("");
      await work(await undo(owing.id, "debt"));
      expect(await stateOf(db)).toEqual(before);
      expect(await audit()).toBe("");
    }, 60_000);

    test("a charge that is given back goes back as it is now, before and after its re-rate", async () => {
      const { db, audit, begin, pass, preview, undo, work } = await open(dialect, 20);
      const give = async (requestId: string) =>
        await db.transaction().execute(async (tx) => {
          const row = await tx
            .selectFrom("logs")
            .selectAll()
            .where("request_id", "=", requestId)
            .executeTakeFirstOrThrow();
          const { user_id: userId, token_id: tokenId, model_name: modelName, group } = row;
          const of = { requestId, userId, tokenId, modelName, group };
          const nowMs = pass(5_000);
          const refund = await refundCharge(tx, { ...of, tokenLimited: true, detail: "", nowMs });
          if (refund === undefined) throw new Error("it was not given back");
          await markRefunded(tx, refund.logId, refund.amount);
          await sql`insert into logs (created_at, type, user_id, username, token_id, token_name,
            channel, model_name, "group", quota, write_off, prompt_tokens, completion_tokens,
            use_time, is_stream, content, other, client_ip, usage, usage_source, price_version,
            losses, request_id)
            values (${Math.floor(nowMs / 1_000)}, 4, ${userId}, '', 0, '', 0, '', '',
              ${refund.amount}, 0, 0, 0, 0, 0, '', '', '', '', '', 0, '', '')`.execute(tx);
          return { ...row, refund };
        });
      const { id } = await preview();
      const begun = await begin(id);
      await give("call-0");
      const done = await work(begun);
      expect(done.gone_calls).toBe(1);
      expect(await audit()).toBe("");
      const changed = await db
        .selectFrom("logs")
        .select(["request_id", "user_id", "quota", "rerated"])
        .where("rerated", "<>", 0)
        .execute();
      const [more] = changed.filter(({ rerated }) => rerated > 0);
      const [less] = changed.filter(({ rerated }) => rerated < 0);
      for (const one of [more, less]) {
        if (one === undefined) throw new Error("none");
        const balanceOf = async () =>
          (
            await db
              .selectFrom("balances")
              .select("balance")
              .where("user_id", "=", one.user_id)
              .executeTakeFirstOrThrow()
          ).balance;
        const before = await balanceOf();
        await give(one.request_id);
        expect(await balanceOf()).toBe(before + one.quota + one.rerated);
      }
      expect(await audit()).toBe("");
      const back = await work(await undo(done.id));
      expect(back.gone_calls).toBe(2);
      expect(await audit()).toBe("");
    }, 60_000);

    test("the audit names what is altered of a re-rate", async () => {
      const { db, audit, begin, preview, work } = await open(dialect, 20);
      const { id } = await preview();
      const done = await work(await begin(id));
      const row = await db
        .selectFrom("logs")
        .select(["id", "rerated"])
        .where("rerated", "<>", 0)
        .executeTakeFirstOrThrow();
      const altered = async (change: string, back: string) => {
        await sql.raw(change).execute(db);
        const said = await audit();
        await sql.raw(back).execute(db);
        return said;
      };
      expect(
        await altered(
          `update logs set rerated = rerated + 1 where id = ${row.id}`,
          `update logs set rerated = rerated - 1 where id = ${row.id}`,
        ),
      ).toContain(`T3 fails at logs id=${row.id}`);
      for (const name of ["expected", "raised", "changed", "skipped", "gone"]) {
        const set = (sign: string) =>
          `update rerates set ${name} = ${name} ${sign} 1 where id = ${done.id}`;
        expect(await altered(set("+"), set("-"))).toContain(`T17 fails at rerates id=${done.id}`);
      }
      expect(
        await altered(
          `update rerates set version = 1 where id = ${done.id}`,
          `update rerates set version = ${done.version} where id = ${done.id}`,
        ),
      ).toContain("T4 fails at entries");
      expect(await audit()).toBe("");
    }, 60_000);

    test("root must have seen the preview of a saved version, gives a reason and a notice, and one goes on at a time", async () => {
      const { ask, begin, pass, preview, undo, work } = await open(dialect, 10);
      const { id } = await preview();
      const wish = { preview: id, reason: "wrong price" };
      const refused = async (endpoint: object, input: object) =>
        await ask(endpoint, input).catch((error: unknown) => String(error));
      expect(await refused(contract.beginRerate, wish)).toContain("请填写给用户的通知");
      const tried = { changes: { ModelRatio: { o1: "9" } } };
      const other = previews.beginPricePreview.output.parse(
        await ask(previews.beginPricePreview, tried),
      );
      await Bun.sleep(200);
      const unsaved = { ...wish, preview: other.id, notice: "n" };
      expect(await refused(contract.beginRerate, unsaved)).toContain("请先保存价格");
      const first = await begin(id);
      expect(await refused(contract.beginRerate, { ...wish, notice: "n" })).toContain("正在进行");
      await work(first);
      pass(5_000);
      expect(await refused(contract.beginRerate, { ...wish, notice: "n" })).toContain("重新试算");
      await work(await undo(first));
      const taken = { id: first, reason: "r", notice: "n" };
      expect(await refused(contract.undoRerate, taken)).toContain("只能撤销");
    }, 60_000);

    test("root stops it: what was charged again stays, its users are told, and it can be taken back", async () => {
      const { db, ask, audit, begin, preview, undo, work } = await open(dialect, 20);
      const before = await stateOf(db);
      const { id: name } = await preview();
      const id = await begin(name);
      await db.updateTable("rerates").set({ claimed_until: 0 }).execute();
      await ask(contract.stopRerate, { id });
      const stopped = await work(id);
      expect(stopped).toMatchObject({ state: "stopped", may_undo: true });
      await work(await undo(id));
      expect(await stateOf(db)).toEqual(before);
      expect(await audit()).toBe("");
    }, 60_000);
  });
}
