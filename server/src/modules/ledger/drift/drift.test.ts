import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { openLogger } from "#base/logger.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { driftPageSize, readBalanceDrift, readTokenDrift } from "./drift.repo.ts";
import { openDriftWatch } from "./drift-watch.ts";
import { closeTestBooks } from "#modules/ledger/testing/books.ts";
import { openTestHistory, type TestHistory } from "#modules/ledger/testing/history.ts";

class Undone extends Error {}

for (const dialect of testDialects) {
  describe(`P-M12: the drift of the ledger on ${dialect}`, () => {
    let history: TestHistory;
    beforeAll(async () => {
      history = await openTestHistory(dialect);
    });
    afterAll(closeTestBooks);

    /**
     * Returns the values of the drift metric before and after a run of the drift job over a ledger
     * with these changes, which are then rolled back.
     */
    async function seeDrift(...changes: ((tx: Db) => Promise<unknown>)[]): Promise<number[]> {
      const seen: number[] = [];
      const done = history.db.transaction().execute(async (tx) => {
        const watch = openDriftWatch({
          store: {
            readBalanceDrift: async (after) => await readBalanceDrift(tx, after),
            readTokenDrift: async (after) => await readTokenDrift(tx, after),
          },
          elapsed: () => 0,
          log: openLogger("silent"),
        });
        const look = () => seen.push(watch.gauges[0]?.read() ?? -1);
        look();
        for (const change of changes) {
          await change(tx);
          await watch.job.run();
          look();
        }
        throw new Undone();
      });
      await expect(done).rejects.toBeInstanceOf(Undone);
      return seen;
    }

    const nothing = async () => {};
    const statement = (text: string) => async (tx: Db) => await sql.raw(text).execute(tx);
    const anyBalance = "user_id = (select user_id from balances order by entry_count desc limit 1)";

    test("is 0 for what the gateway wrote, and shows a seeded change until it is undone", async () => {
      expect(await seeDrift(nothing)).toEqual([0, 0]);
      expect(
        await seeDrift(
          statement(`update balances set balance = balance + 7 where ${anyBalance}`),
          statement(`update balances set used = used + 5 where ${anyBalance}`),
          statement(
            `update balances set balance = balance - 7, used = used - 5 where ${anyBalance}`,
          ),
        ),
      ).toEqual([0, 7, 12, 0]);
    });

    test("shows a token whose remainder does not fit, and a chain that lost or gained an entry", async () => {
      const tokens = "update token_balances set remain = remain + 3 where token_id = ";
      const oneToken = "(select max(token_id) from token_balances)";
      expect(await seeDrift(statement(tokens + oneToken))).toEqual([0, 3]);
      const [, shorter = 0] = await seeDrift(
        statement(`update balances set entry_count = entry_count - 1 where ${anyBalance}`),
      );
      expect(shorter).toBeGreaterThan(0);
      const [, longer = 0] = await seeDrift(
        statement(`update balances set entry_count = entry_count + 1 where ${anyBalance}`),
      );
      expect(longer).toBeGreaterThan(0);
    });

    test("is read in pages, to the last account", async () => {
      const first = 1_000_000;
      const many = Array.from({ length: driftPageSize + 10 }, (_, index) => first + index);
      const insert = async (tx: Db) => {
        for (let at = 0; at < many.length; at += 500) {
          const rows = many.slice(at, at + 500).map((user_id) => ({
            user_id,
            balance: user_id === many.at(-1) ? 11 : 0,
            held: 0,
            debt: 0,
            used: 0,
            entry_count: 0,
            head_hash: "",
          }));
          await tx.insertInto("balances").values(rows).execute();
        }
      };
      expect(await seeDrift(insert)).toEqual([0, 11]);
    });
  });
}
