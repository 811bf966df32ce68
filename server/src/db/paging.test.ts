import { expect, test } from "bun:test";
import { readPaged } from "./paging.ts";
import { openTestDatabase, testDialects } from "./testing/database.ts";

/** A message about an order that is not there. */
const event = { order_id: 1, source: "poll", raw: "", client_ip: "" };

test.each(testDialects)(
  "a page has its rows in their order, and counts those that the filter leaves: %s",
  async (dialect) => {
    const { db, close } = await openTestDatabase(dialect);
    try {
      const verdicts = ["failed", "paid", "failed", "failed", "paid", "failed", "failed"];
      await db
        .insertInto("order_events")
        .values(verdicts.map((verdict, index) => ({ ...event, verdict, created_at: index })))
        .execute();
      const failed = db
        .selectFrom("order_events")
        .leftJoin("orders", "orders.id", "order_events.order_id")
        .select(["order_events.created_at", "orders.number"])
        .where("verdict", "=", "failed")
        .orderBy("order_events.created_at", "desc");
      const page = async (number: number) =>
        await readPaged(failed, { page: number, page_size: 2 });
      const rows = (...times: number[]) =>
        times.map((created_at) => ({ created_at, number: null }));

      expect(await page(1)).toEqual({ items: rows(6, 5), total: 5 });
      expect(await page(3)).toEqual({ items: rows(0), total: 5 });
      expect(await page(4)).toEqual({ items: [], total: 5 });
    } finally {
      await close();
    }
  },
);
