import * as answers from "@tollgate/contract/endpoints/log-answers.ts";
import { type Log, listLogs, listOwnLogs } from "@tollgate/contract/endpoints/logs.ts";
import { otherTag, tagValuesMax } from "@tollgate/contract/logs/tags.ts";
import { describe, expect, test } from "bun:test";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import {
  type CallLogRow,
  insertCallLogs,
  insertHashedLogs,
  reserveLogIds,
} from "#modules/logs/logs.ts";
import { logHash } from "#modules/logs/logs.ts";
import { addHours, alice, call, now, openLogs, root } from "#modules/logs/testing/logs.ts";

const day = 86_400;
const bob = { user_id: 8, username: "bob", token_id: 12, token_name: "bobs" };

/** Inserts rows as the ledger does. */
async function insert(db: Db, rows: readonly CallLogRow[]) {
  return await db.transaction().execute(async (tx) => {
    const { hashed, insert: run } = insertHashedLogs(tx, rows, await idsFor(tx, rows.length));
    await run();
    return hashed;
  });
}

async function idsFor(tx: Db, count: number): Promise<readonly number[]> {
  try {
    return await reserveLogIds(tx, count);
  } catch {
    // SQLite numbers rows itself.
    return [];
  }
}

const row = (name: string, given: Partial<CallLogRow> = {}): CallLogRow => ({
  ...call,
  request_id: name,
  ...given,
});

type Page = { readonly items: readonly Log[]; readonly total: number };

for (const dialect of testDialects) {
  describe(`tags on ${dialect}`, () => {
    test("rows have their tags, a filter finds them, and sums are those of its rows", async () => {
      const { db, ask, close } = await openLogs(dialect);
      const rows = [
        row("a", { tags: ["batch", "team:x"], quota: 10 }),
        row("b", { tags: ["batch"], quota: 20, model_name: "other" }),
        row("c", { quota: 40 }),
        row("d", { ...bob, tags: ["batch", "secret"], quota: 80 }),
        row("e", { tags: ["batch"], type: 5, quota: 0, content: "x" }),
      ];
      await insert(db, rows);
      await addHours(
        db,
        rows.filter(({ type }) => type === 2),
      );
      const named = async (input: object, of = root) => {
        const list = of === root ? listLogs : listOwnLogs;
        const { items, total } = (await ask(list, input, of)) as Page;
        expect(total).toBe(items.length);
        return Object.fromEntries(items.map((one) => [one.request_id, one.tags]));
      };
      expect(await named({})).toEqual({
        a: ["batch", "team:x"],
        b: ["batch"],
        c: [],
        d: ["batch", "secret"],
        e: ["batch"],
      });
      const ofBatch = { a: ["batch", "team:x"], b: ["batch"], e: ["batch"] };
      expect(await named({ tag: "batch" })).toEqual({ ...ofBatch, d: ["batch", "secret"] });
      expect(Object.keys(await named({ tag: "batch", model_name: "=other" }))).toEqual(["b"]);
      expect(Object.keys(await named({ tag: "batch", sort: "quota" }))).toEqual([
        "e",
        "a",
        "b",
        "d",
      ]);
      expect(await named({ tag: "bat" })).toEqual({});
      // Users see the tags of their own rows alone.
      expect(await named({ tag: "batch" }, alice)).toEqual(ofBatch);
      expect(await named({ tag: "secret" }, alice)).toEqual({});

      const chart = (await ask(
        answers.readLogChart,
        { tag: "batch", by: "model", measure: "quota" },
        root,
      )) as answers.LogChart;
      expect(chart.totals).toEqual({ quota: 110, calls: 3, failures: 1 });
      const facet = async (input: object, of = root) => {
        const endpoint = of === root ? answers.readLogFacet : answers.readOwnLogFacet;
        const asked = { facet: "tag", prefix: "", ...input };
        const { values } = (await ask(endpoint, asked, of)) as answers.LogFacetValues;
        return values.map(({ value, calls, quota }) => [value, calls, quota]);
      };
      expect(await facet({})).toEqual([
        ["batch", 4, 110],
        ["secret", 1, 80],
        ["team:x", 1, 10],
      ]);
      expect(await facet({ prefix: "TEAM" })).toEqual([["team:x", 1, 10]]);
      expect(await facet({ tag: "batch", model_name: "=other" })).toEqual([["batch", 1, 20]]);
      expect(await facet({}, alice)).toEqual([
        ["batch", 3, 30],
        ["team:x", 1, 10],
      ]);
      await close();
    });

    test("rows are sorted by the time to the first byte, those without one last", async () => {
      const { db, ask, close } = await openLogs(dialect);
      const times = { slow: 9_000, none: null, quick: 80, middle: 640 };
      await insert(
        db,
        Object.entries(times).map(([name, frt]) =>
          row(name, { other: frt === null ? "" : JSON.stringify({ a: "b", frt }) }),
        ),
      );
      const named = async (sort: string) => {
        const { items } = (await ask(listLogs, { sort }, root)) as Page;
        return items.map(({ request_id }) => request_id);
      };
      expect(await named("first_byte")).toEqual(["quick", "middle", "slow", "none"]);
      expect(await named("-first_byte")).toEqual(["slow", "middle", "quick", "none"]);
      await close();
    });

    test("conversations are listed, those first in which a tool was called over and over", async () => {
      const { db, ask, close } = await openLogs(dialect);
      const turns = (id: number, count: number, tool_names: string, given = {}) =>
        Array.from({ length: count }, (_, at) =>
          row(`${id} ${at}`, { conversation_id: id, tool_names, quota: 1, ...given }),
        );
      await insert(db, [
        ...turns(4, 14, '["bash","read"]'),
        ...turns(8, 40, ""),
        ...turns(12, 10, '["bash"]'),
        ...turns(16, 11, '["grep"]', bob),
        row("none"),
      ]);
      const facet = async (input: object, of = root) => {
        const endpoint = of === root ? answers.readLogFacet : answers.readOwnLogFacet;
        const asked = { facet: "conversation", prefix: "", ...input };
        const { values } = (await ask(endpoint, asked, of)) as answers.LogFacetValues;
        return values.map(({ value, name, calls, quota }) => [value, name, calls, quota]);
      };
      const ofAlice = [
        ["4", "bash × 14", 14, 14],
        ["8", "", 40, 40],
        ["12", "", 10, 10],
      ];
      const first = ofAlice.slice(0, 1);
      expect(await facet({})).toEqual([...first, ["16", "grep × 11", 11, 11], ...ofAlice.slice(1)]);
      expect(await facet({}, alice)).toEqual(ofAlice);
      expect(await facet({ prefix: "ba" })).toEqual(first);
      await close();
    });

    test("a row's hash does not cover its tags", async () => {
      const { db, close } = await openLogs(dialect);
      const hashed = await insert(db, [row("a", { tags: ["batch"] })]);
      const stored = await db.selectFrom("logs").selectAll().executeTakeFirstOrThrow();
      expect(logHash(stored)).toBe(hashed.get("a")?.hash ?? "");
      await close();
    });

    test("beyond so many values a day and user, tags are counted as others", async () => {
      const { db, close } = await openLogs(dialect);
      const many = Array.from({ length: tagValuesMax + 5 }, (_, at) => `id:${at}`);
      const rows = many.map((tag) => row(tag, { tags: [tag] }));
      await insert(db, rows.slice(0, 600));
      await insert(db, rows.slice(600));
      await insert(db, [
        row("again", { tags: ["id:3", "id:x"] }),
        row("b", { ...bob, tags: ["id:x"] }),
      ]);
      await insert(db, [row("later", { tags: ["id:x"], created_at: now + day })]);
      const stored = await db.selectFrom("log_tags").select(["tag", "user_id"]).execute();
      const count = (tag: string, user = 7) =>
        stored.filter((one) => one.tag === tag && one.user_id === user).length;
      expect(count(otherTag)).toBe(6);
      expect(count("id:3")).toBe(2);
      expect(count("id:x")).toBe(1);
      expect(count("id:x", 8)).toBe(1);
      expect(new Set(stored.map(({ tag }) => tag)).size).toBe(tagValuesMax + 2);
      await close();
    });

    test("tags go with the rows of the log, and what a client writes is stored", async () => {
      const { db, store, close } = await openLogs(dialect);
      const rows = [
        row("old", { tags: ["a", "nul\0"], created_at: now - 3 * day }),
        row("new", { tags: ["a"] }),
      ];
      await db.transaction().execute(async (tx) => void (await insertCallLogs(tx, rows)));
      await store.cleanLogs(now - day);
      expect(await db.selectFrom("log_tags").select("tag").execute()).toEqual([{ tag: "a" }]);
      const days = await db.selectFrom("tag_days").select("day").execute();
      expect(days).toEqual([{ day: now - (now % day) }]);
      await close();
    });
  });
}
