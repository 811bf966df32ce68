/**
 * Stops a gateway's transaction at a statement, so that a test can kill the process exactly there: a
 * trigger waits on PostgreSQL for a lock that the test holds, and never ends on SQLite.
 */

import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { Client } from "pg";
import type { Home } from "#test/gateway.ts";

/** The statement at which a transaction stops. */
export type Step = {
  readonly table: string;
  readonly event: "delete" | "insert" | "update";
  /** Absent: after. */
  readonly when?: "after" | "before";
  /** The rows at which it stops, as a condition in SQL; absent: every row. */
  readonly only?: string;
};

type Stall = {
  /** Resolves when the process has stopped there. */
  reached(pid: number): Promise<void>;
  /** Lets transactions pass again. */
  remove(): Promise<void>;
};

const pollMs = 10;

export async function stallAt(home: Home, step: Step): Promise<Stall> {
  return home.dialect === "sqlite" ? stallOnSqlite(home, step) : await stallOnPostgres(home, step);
}

function triggerOf({ table, event, when = "after", only }: Step, dialect: Home["dialect"]): string {
  const perRow = dialect === "postgres" ? "for each row" : "";
  const condition = only === undefined ? "" : `when (${only})`;
  return `create trigger stall ${when} ${event} on ${table} ${perRow} ${condition}`;
}

/** The time of a processor that shows that a process runs the trigger, in ticks of 10 ms. */
const busyTicks = 40;

function stallOnSqlite({ dataDir, dialect }: Home, step: Step): Stall {
  const run = (...statements: string[]) => {
    const db = new Database(`${dataDir}/tollgate.db`);
    db.run("pragma busy_timeout = 10000");
    for (const statement of statements) db.run(statement);
    db.close();
  };
  // A trigger cannot have a recursive query, a view can.
  run(
    `create view endless as
     with recursive steps (at) as (select 1 union all select at + 1 from steps)
     select at from steps`,
    `${triggerOf(step, dialect)} begin select count(*) from endless; end`,
  );
  return {
    async reached(pid) {
      const before = ticksOf(pid);
      while (ticksOf(pid) < before + busyTicks) await Bun.sleep(pollMs);
    },
    remove: async () => run("drop trigger stall", "drop view endless"),
  };
}

/** Reads how long a process has used processors. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** The advisory lock for which the trigger waits. */
const lockId = 471_100;

async function stallOnPostgres({ env, dialect }: Home, step: Step): Promise<Stall> {
  const client = new Client({ connectionString: env["DATABASE_URL"] });
  await client.connect();
  await client.query(`select pg_advisory_lock(${lockId})`);
  await client.query(`
    create or replace function stall() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(${lockId}); return coalesce(new, old); end $$`);
  await client.query(`${triggerOf(step, dialect)} execute function stall()`);
  const waiting = "select 1 from pg_locks where locktype = 'advisory' and not granted";
  return {
    async reached() {
      while ((await client.query(waiting)).rows.length === 0) await Bun.sleep(pollMs);
    },
    async remove() {
      await client.query(`select pg_advisory_unlock(${lockId})`);
      // Waits until the transaction that stopped has ended.
      await client.query(`drop trigger stall on ${step.table}`);
      await client.end();
    },
  };
}
