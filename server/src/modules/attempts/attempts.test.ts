import { afterEach, expect, test } from "bun:test";
import type { RateRule } from "#base/rate-limit.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { bindStore } from "#db/store.ts";
import { attemptStore } from "./attempts.store.ts";

let opened: Awaited<ReturnType<typeof openTestDatabase>> | undefined;
afterEach(async () => await opened?.close());

const rule: RateRule = { name: "test", windowMs: 60_000, max: 5, exact: true };

for (const dialect of testDialects) {
  test(`on ${dialect} attempts that arrive at the same time never exceed the limit, and one that was harmless does not count`, async () => {
    opened = await openTestDatabase(dialect);
    const { db } = opened;
    // On PostgreSQL each call has a connection of its own, as calls of several nodes have.
    const store = bindStore(attemptStore, db);
    const results = [];
    if (dialect === "postgres") {
      results.push(
        ...(await Promise.all(Array.from({ length: 8 }, () => store.takeAttempt(rule, "a")))),
      );
    } else {
      for (let count = 0; count < 8; count += 1) results.push(await store.takeAttempt(rule, "a"));
    }

    expect(results.filter(({ allowed }) => allowed)).toHaveLength(5);
    const refused = results.find(({ allowed }) => !allowed);
    expect(refused?.retryAfterMs).toBeGreaterThan(0);
    expect(await store.takeAttempt(rule, "b")).toEqual({ allowed: true, retryAfterMs: 0 });

    await store.giveBackAttempt(rule, "a");
    expect((await store.lookAttempt(rule, "a")).allowed).toBe(true);
    expect((await store.takeAttempt(rule, "a")).allowed).toBe(true);
    expect((await store.takeAttempt(rule, "a")).allowed).toBe(false);
  });

  test(`on ${dialect} attempts end with their window, and their rows are removed`, async () => {
    opened = await openTestDatabase(dialect);
    const { db } = opened;
    const store = bindStore(attemptStore, db);
    for (let count = 0; count < 5; count += 1) await store.takeAttempt(rule, "a");
    const [row] = await db.selectFrom("attempts").selectAll().execute();
    const longAgo = (row?.counters ?? "").replaceAll(/(\d+):/g, (_, ms) => `${ms - 60_000}:`);
    await db.updateTable("attempts").set({ counters: longAgo, ends_at: 1 }).execute();

    expect((await store.takeAttempt(rule, "b")).allowed).toBe(true);
    const left = await db.selectFrom("attempts").select("key").execute();
    expect(left).toEqual([{ key: "b" }]);
    expect((await store.takeAttempt(rule, "a")).allowed).toBe(true);
  });
}
