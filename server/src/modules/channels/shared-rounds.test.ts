import { describe, expect, test } from "bun:test";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { channelStore } from "./channels.store.ts";
import { openSharedRounds } from "./shared-rounds.ts";

/** Opens two nodes on one database. */
async function openNodes(dialect: Dialect) {
  const { db, close } = await openTestDatabase(dialect);
  const problems: unknown[] = [];
  const openNode = () =>
    openSharedRounds({
      kind: "tests",
      store: bindStore(channelStore, db),
      report: (error) => void problems.push(error),
    });
  /** Notes the round as if it had happened a minute ago. */
  const makeOld = async (): Promise<void> => {
    const { value } = await db
      .selectFrom("meta")
      .select("value")
      .where("key", "=", "channel_round_tests")
      .executeTakeFirstOrThrow();
    const round = JSON.parse(value);
    const old = JSON.stringify({ ...round, notedMs: round.notedMs - 60_000 });
    await db
      .updateTable("meta")
      .set({ value: old })
      .where("key", "=", "channel_round_tests")
      .execute();
  };
  return { here: openNode(), there: openNode(), makeOld, problems, close };
}

/** Work on channels that waits until it is let go. */
function openWork() {
  const gate = Promise.withResolvers<void>();
  const worked: number[] = [];
  return {
    worked,
    letGo: gate.resolve,
    async work(id: number) {
      worked.push(id);
      await gate.promise;
      return id !== 2;
    },
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(5);
}

const list = async () => [1, 2, 3, 4, 5, 6];

for (const dialect of testDialects) {
  describe(`rounds of several nodes on ${dialect}`, () => {
    test("every node sees how far a round is and how it ended, whichever node runs it", async () => {
      const { here, there, problems, close } = await openNodes(dialect);
      const { work, letGo } = openWork();
      expect(await there.read()).toMatchObject({ run: 0, running: false });
      expect(await here.start(list, work)).toBe(true);
      await until(async () => (await there.read()).current.length === 4);
      expect(await there.read()).toMatchObject({ run: 1, running: true, done: 0, total: 6 });
      letGo();
      await until(async () => !(await there.read()).running);
      const ended = {
        run: 1,
        running: false,
        done: 6,
        failed: 1,
        failed_ids: [2],
        total: 6,
        current: [],
      };
      expect(await there.read()).toEqual({ ...ended, stopped: false });
      expect(await here.read()).toEqual(await there.read());
      expect(problems).toEqual([]);
      await close();
    });

    test("a node that is asked for a round while another runs one begins none", async () => {
      const { here, there, close } = await openNodes(dialect);
      const { work, worked, letGo } = openWork();
      const begun = await Promise.all([here.start(list, work), there.start(list, work)]);
      expect(begun.toSorted()).toEqual([false, true]);
      letGo();
      await until(async () => !(await there.read()).running);
      expect(worked).toHaveLength(6);
      expect(await there.start(list, work)).toBe(true);
      await until(async () => !(await here.read()).running);
      expect(await here.read()).toMatchObject({ run: 2, done: 6 });
      await close();
    });

    test("a round is stopped from another node than the one that runs it", async () => {
      const { here, there, close } = await openNodes(dialect);
      const { work, worked, letGo } = openWork();
      expect(await there.stop()).toBe(false);
      await here.start(list, work);
      await until(async () => (await there.read()).current.length === 4);
      expect(await there.stop()).toBe(true);
      expect(await there.read()).toMatchObject({ running: true, stopped: true });
      await until(async () => (await here.read()).stopped);
      letGo();
      await until(async () => !(await there.read()).running);
      expect(await there.read()).toMatchObject({ done: 4, total: 6, stopped: true });
      expect(worked).toHaveLength(4);
      await close();
    });

    test("a round whose node has died does not block the next one, and a slow node gives way to it", async () => {
      const { here, there, makeOld, close } = await openNodes(dialect);
      const slow = openWork();
      await here.start(list, slow.work);
      await until(async () => (await there.read()).current.length === 4);
      // In a loop, because the slow node may note its round before the question.
      await until(async () => {
        await makeOld();
        const { running, stopped } = await there.read();
        return !running && stopped;
      });
      const next = openWork();
      await until(async () => {
        await makeOld();
        return await there.start(list, next.work);
      });
      await until(async () => (await here.read()).stopped);
      slow.letGo();
      next.letGo();
      await until(async () => !(await there.read()).running);
      expect(await there.read()).toMatchObject({ run: 2, done: 6, stopped: false });
      expect(slow.worked).toHaveLength(4);
      await close();
    });
  });
}
