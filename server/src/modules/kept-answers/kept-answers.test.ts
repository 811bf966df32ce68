import { describe, expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { openSecrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { addUsers } from "#modules/logs/testing/logs.ts";
import { keptAnswersModule } from "./kept-answers.module.ts";
import type { KeptAnswerTable } from "./kept-answers.repo.ts";
import { keptAnswerStore } from "./kept-answers.store.ts";

const dayMs = 86_400_000;

/** Opens the module as one node does. */
function openNode(db: Db, given: { nowMs: number; days: number }) {
  const module = keptAnswersModule.open({
    store: bindStore(keptAnswerStore, db),
    options: { read: () => given.days },
    secrets: openSecrets("0123456789abcdef".repeat(4)),
    clock: { now: () => given.nowMs, elapsed: () => given.nowMs },
    log: openLogger("silent"),
    // Safe cast: the module reads nothing else.
  } as unknown as Parameters<typeof keptAnswersModule.open>[0]);
  const { face, jobs, metrics } = module;
  const keep = (id: string, userId = 7, bytes = 0): void =>
    face.keep({
      id,
      userId,
      input: Buffer.from(JSON.stringify(`question ${id}`.padEnd(bytes, "x"))),
      answer: Buffer.from(JSON.stringify({ id })),
    });
  const clean = async (): Promise<void> => await jobs[0]?.run();
  return { ...face, keep, clean, dropped: () => metrics[0]?.read() };
}

async function open(dialect: (typeof testDialects)[number], days = 30) {
  const { db, close } = await openTestDatabase(dialect);
  const given = { nowMs: Date.parse("2026-11-21T12:00:00Z"), days };
  const rows = async () =>
    await db
      .withTables<{ kept_answers: KeptAnswerTable }>()
      .selectFrom("kept_answers")
      .selectAll()
      .execute();
  return { db, given, rows, close, here: openNode(db, given), there: openNode(db, given) };
}

for (const dialect of testDialects) {
  describe(`kept answers on ${dialect}`, () => {
    test("an answer is found at once, and then by every node, by its user alone", async () => {
      const { close, here, rows, there } = await open(dialect);
      expect(await there.find("a", 7)).toBeNull();
      here.keep("a");
      const kept = { input: '"question a"', answer: '{"id":"a"}' };
      expect(await here.find("a", 7)).toEqual(kept);
      expect(await here.find("a", 8)).toBeNull();
      await here.drained();

      expect(await there.find("a", 7)).toEqual(kept);
      expect(await there.find("a", 8)).toBeNull();
      expect(await there.remove("a", 8)).toBe(false);
      expect(Buffer.concat((await rows()).map(({ input }) => input)).toString()).not.toContain(
        "question",
      );
      expect(await here.remove("a", 7)).toBe(true);
      expect(await there.find("a", 7)).toBeNull();
      await close();
    });

    test("answers go by whole days, and all of them when root turns it off", async () => {
      const { close, given, here, rows } = await open(dialect, 7);
      here.keep("old");
      await here.drained();
      given.nowMs += 7 * dayMs;
      here.keep("new");
      await here.drained();
      await here.clean();
      expect((await rows()).map(({ id }) => id).toSorted()).toEqual(["new", "old"]);
      given.nowMs += dayMs;
      // Not found any more, even before it is removed.
      expect(await here.find("old", 7)).toBeNull();
      await here.clean();
      expect((await rows()).map(({ id }) => id)).toEqual(["new"]);

      here.keep("today");
      await here.drained();
      given.days = 0;
      await here.clean();
      expect(await rows()).toEqual([]);
      await close();
    });

    test("a removed user's answers go, also those of calls that ended later", async () => {
      const { close, db, given, here, rows } = await open(dialect);
      here.keep("a", 7);
      here.keep("b", 8);
      await here.drained();
      await here.forgetUsers([7]);
      expect((await rows()).map(({ id }) => id)).toEqual(["b"]);

      const id = 1;
      await addUsers(db, ["late"]);
      const DeletedAt = new Date(given.nowMs).toISOString();
      await db.updateTable("users").set({ DeletedAt }).where("id", "=", id).execute();
      here.keep("late", id);
      await here.drained();
      await here.clean();
      expect((await rows()).map((row) => row.id)).toEqual(["b"]);
      await close();
    });

    test("a user has the newest 2,000 answers, and an answer over 4 MiB is not kept", async () => {
      const { close, given, here, rows } = await open(dialect);
      here.keep("first", 7);
      await here.drained();
      for (let count = 0; count < 2_000; count += 500) {
        given.nowMs += 1;
        for (let index = 0; index < 500; index += 1) here.keep(`${count + index}`, 7);
        await here.drained();
      }
      const ids = new Set((await rows()).map(({ id }) => id));
      expect([ids.size, ids.has("first"), ids.has("1999")]).toEqual([2_000, false, true]);

      here.keep("large", 7, 4 * 1024 * 1024 + 1);
      await here.drained();
      expect(await here.find("large", 7)).toBeNull();
      expect(here.dropped()).toBe(1);
      await close();
    });
  });
}
