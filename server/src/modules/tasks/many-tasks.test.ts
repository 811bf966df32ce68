/** What stays cheap and closed while very many tasks are open. */

import { expect, test } from "bun:test";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { databaseMs, type Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { dueTasks, upstreamTask } from "./tasks.repo.ts";
import { taskStore } from "./tasks.store.ts";

/** Enough rows that a planner would rather read an index than all of them. */
const open = 20_000;

/** As many of them are due. */
const due = 700;

/** Adds open tasks of one channel, of which the last ones are due. */
async function addMany(db: Db, dialect: Dialect): Promise<void> {
  const numbers =
    dialect === "postgres"
      ? sql`select n from generate_series(1, ${sql.lit(open)}) as g(n)`
      : sql`with recursive g(n) as (select 1 union all select n + 1 from g where n < ${sql.lit(open)}) select n from g`;
  const texts = ["request_id", "action", "model_name", "group", "prompt", "prompt_en"];
  const others = ["description", "state", "fail_reason", "result_url", "notify_hook", "key_ref"];
  const wholes = ["user_id", "token_id", "token_limited", "code", "progress", "submit_time"];
  const more = ["start_time", "finish_time", "cost", "quota", "refunded", "loss", "log_id"];
  const empty = [...texts, ...others];
  const zero = [...wholes, ...more];
  const names = [...empty, ...zero].map((name) => sql.ref(name));
  const values = [...empty.map(() => sql.lit("")), ...zero.map(() => sql.lit(0))];
  await sql`insert into tasks
    (task_id, upstream_id, platform, status, data, channel_id, due_at, deadline_at, ${sql.join(names)})
    select 'T' || n, 'up-' || n, 'suno', 'IN_PROGRESS', '{}', 1,
      case when n > ${sql.lit(open - due)} then n else ${sql.lit(Number.MAX_SAFE_INTEGER)} end,
      0, ${sql.join(values)} from (${numbers}) as numbers`.execute(db);
  await sql`analyze`.execute(db);
}

type Explained = { explain(format?: "json", options?: ReturnType<typeof sql>): Promise<unknown> };

async function planOf(dialect: Dialect, query: Explained): Promise<string> {
  const plan =
    dialect === "postgres" ? query.explain("json") : query.explain(undefined, sql`query plan`);
  return JSON.stringify(await plan);
}

for (const dialect of testDialects) {
  test(`among many open tasks, due ones are found by an index and claimed 500 at a time on ${dialect}`, async () => {
    const { db, close } = await openTestDatabase(dialect);
    try {
      await addMany(db, dialect);
      const plans = [
        await planOf(dialect, dueTasks(db, databaseMs(db))),
        await planOf(dialect, upstreamTask(db, 1, "up-9")),
      ];
      for (const [index, name] of ["tasks_due", "tasks_upstream"].entries()) {
        expect(plans[index]).toContain(name);
        // A sort, or a scan of the table, would read all that are open.
        expect(plans[index]).not.toMatch(/Seq Scan|SCAN tasks(?! USING)|TEMP B-TREE|"Sort"/);
      }
      const store = bindStore(taskStore, db);
      // PostgreSQL has a second node, which takes others while the first has not committed yet.
      const [first, second] =
        dialect === "postgres"
          ? await db.transaction().execute(async (tx) => {
              const mine = await taskStore.writes.claimDue(tx);
              return [mine, await store.claimDue()] as const;
            })
          : [await store.claimDue(), await store.claimDue()];
      expect([first.length, second.length, (await store.claimDue()).length]).toEqual([
        500,
        due - 500,
        0,
      ]);
      const ids = new Set([...first, ...second].map(({ id }) => id));
      expect(ids.size).toBe(due);
      expect(Math.min(...second.map(({ id }) => id))).toBeGreaterThan(
        Math.max(...first.map(({ id }) => id)),
      );
      // Tasks are found by their owner only, whoever guesses an id.
      expect(await store.findTask("T1", 0)).toMatchObject({ task_id: "T1" });
      expect(await store.findTask("T1", 7)).toBeNull();
      const found = [await store.findTasks(["T1", "T2"], 0), await store.findTasks(["T1"], 7)];
      expect(found.map((rows) => rows.length)).toEqual([2, 0]);
    } finally {
      await close();
    }
  });
}
