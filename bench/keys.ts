/**
 * Measures the start and the memory of a gateway with many API keys, on both databases: an empty
 * installation beside one with keys, in rounds. `npm run bench -- --keys` prints a table;
 * `--counts 200000,1000000` and `--starts 10` say how many keys and how often. Each start is under
 * load: another process keeps each core busy.
 */

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { openDatabase } from "@tollgate/server/src/db/connection.ts";
import type { Db } from "@tollgate/server/src/db/database.ts";
import type { Dialect } from "@tollgate/server/src/db/dialect.ts";
import { addToken, addUser, signIn } from "@tollgate/server/test/console.ts";
import { type Home, makeHome, startGateway } from "@tollgate/server/test/gateway.ts";
import { addressOf } from "@tollgate/server/test/proof/database-after.ts";
import { median } from "./statistics.ts";

const { values } = parseArgs({
  options: {
    counts: { type: "string", default: "200000,1000000" },
    starts: { type: "string", default: "10" },
    keys: { type: "boolean" },
  },
  strict: false,
});

/** Keys for each user. */
const keysPerUser = 4;

/** When resident memory is read after the gateway was ready, in milliseconds. */
const restMs = 8_000;

type Start = {
  readonly readyMs: number;
  readonly peakMiB: number;
  readonly residentMiB: number;
};

/** Makes an installation with this many keys beside its own. */
async function makeInstallation(dialect: Dialect, keys: number): Promise<Home> {
  const home = await makeHome(dialect);
  const gateway = await startGateway(home);
  const root = await signIn(gateway.origin);
  const client = await addUser(root, gateway.origin, 1_000_000);
  await addToken(client);
  await gateway.stop("SIGINT");
  if (keys === 0) return home;
  const opened = openDatabase(addressOf(home), "writer");
  await addMany(opened.db, client.userId, keys);
  const { count } = await opened.db
    .selectFrom("tokens")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) !== keys + 1) throw new Error(`${count} keys were made, not ${keys + 1}`);
  await opened.close();
  return home;
}

/** Adds users and their keys as copies of one user and its key, in bulk. */
async function addMany(db: Db, userId: number, keys: number): Promise<void> {
  const users = Math.ceil(keys / keysPerUser);
  await copy(db, "users", users, sql`id = ${sql.lit(userId)}`, {
    username: "concat('user', i)",
    username_key: "concat('user', i)",
    aff_code: "concat('code', i)",
  });
  await copy(db, "tokens", keys, sql`user_id = ${sql.lit(userId)}`, {
    name: "concat('key number ', i)",
    lookup:
      "concat(substr('0000000000000000000000000000000000000000000000000000000000000000', 1, 56), 10000000 + i)",
    user_id: `${userId} + 1 + i % ${users}`,
  });
}

/** Inserts copies of one row, numbered by `i` from 1, in which some columns differ. */
async function copy(
  db: Db,
  table: "tokens" | "users",
  count: number,
  which: ReturnType<typeof sql>,
  changed: Readonly<Record<string, string>>,
): Promise<void> {
  const row = await db
    .selectFrom(table)
    .selectAll()
    .where(which as never)
    .executeTakeFirstOrThrow();
  const names = Object.keys(row).filter((name) => name !== "id");
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const made = sql.join(names.map((name) => sql.raw(changed[name] ?? `source."${name}"`)));
  // Each statement has a time limit.
  const step = 50_000;
  for (let from = 1; from <= count; from += step) {
    const until = Math.min(count, from + step - 1);
    await sql`
      with recursive numbers(i) as (
        select ${sql.lit(from)} union all select i + 1 from numbers where i < ${sql.lit(until)})
      insert into ${sql.table(table)} (${columns})
      select ${made} from numbers, (select * from ${sql.table(table)} where ${which}) as source`.execute(
      db,
    );
  }
}

/** Starts the gateway once. @throws Error when it did not become ready. */
async function startOnce(home: Home): Promise<Start> {
  const fromMs = performance.now();
  const gateway = await startGateway(home);
  const readyMs = performance.now() - fromMs;
  await Bun.sleep(restMs);
  const status = readFileSync(`/proc/${gateway.pid}/status`, "utf8");
  const mib = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1_024;
  const measured = { readyMs, peakMiB: mib("VmHWM"), residentMiB: mib("VmRSS") };
  await gateway.stop("SIGINT");
  return measured;
}

/** Keeps every core busy. @returns a function that ends that. */
function makeLoad(): () => void {
  const burners = Array.from({ length: availableParallelism() }, () =>
    Bun.spawn([process.execPath, "-e", "for (;;) Math.random()"], { stdout: "ignore" }),
  );
  return () => {
    for (const burner of burners) burner.kill();
  };
}

function describe(name: string, starts: readonly Start[], empty: readonly Start[]): string {
  const ready = median(starts.map(({ readyMs }) => readyMs));
  const times = ready / median(empty.map(({ readyMs }) => readyMs));
  const peak = Math.max(...starts.map(({ peakMiB }) => peakMiB));
  const resident = median(starts.map(({ residentMiB }) => residentMiB));
  return [
    `| ${name}`,
    `${starts.length}`,
    `${(ready / 1_000).toFixed(1)} s`,
    `${times.toFixed(1)} ×`,
    `${Math.round(peak)} MiB`,
    `${Math.round(resident)} MiB |`,
  ].join(" | ");
}

const starts = Number(values.starts);
process.stdout.write(
  "| Keys | starts that were ready | ready after (median) | of an empty one | peak (largest) | resident (median) |\n" +
    "| --- | --: | --: | --: | --: | --: |\n",
);
for (const dialect of ["postgres", "sqlite"] as const) {
  const empty = await makeInstallation(dialect, 0);
  for (const keys of String(values.counts).split(",").map(Number)) {
    const home = await makeInstallation(dialect, keys);
    const endLoad = makeLoad();
    const ofEmpty: Start[] = [];
    const ofMany: Start[] = [];
    for (let round = 0; round < starts; round += 1) {
      ofEmpty.push(await startOnce(empty));
      ofMany.push(await startOnce(home));
    }
    endLoad();
    process.stdout.write(`${describe(`${dialect}, none`, ofEmpty, ofEmpty)}\n`);
    process.stdout.write(`${describe(`${dialect}, ${keys}`, ofMany, ofEmpty)}\n`);
    await home.remove();
  }
  await empty.remove();
}
