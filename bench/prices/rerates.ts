/**
 * Tries a re-rate at full size: `bun bench/prices/rerates.ts [calls] [dialect] [kills] [file]` makes
 * as many calls over 40 models, saves other prices, and lets processes charge all calls again that
 * are killed so often. The preview, the re-rate and a recomputation of every call must be the same to
 * the unit, the audit must find nothing, and after the same with its undo all must be as before.
 * PostgreSQL needs a server: `node scripts/postgres.mjs -- bun bench/prices/rerates.ts 1000000 postgres`.
 *
 * With a file, the built product makes the calls, with the demo upstream, and what is done is noted
 * in the file. A run then ends after some minutes, and the next one goes on; PostgreSQL has to be a
 * server that stays, named by `TOLLGATE_TEST_POSTGRES`.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { charge, chargedUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { DatabaseAddress } from "@tollgate/server/src/db/connection.ts";
import { openDatabase } from "@tollgate/server/src/db/connection.ts";
import type { Db } from "@tollgate/server/src/db/database.ts";
import { bindStore } from "@tollgate/server/src/db/store.ts";
import { openTestDatabase } from "@tollgate/server/src/db/testing/database.ts";
import { makeHome } from "@tollgate/server/test/gateway.ts";
import { systemActor } from "@tollgate/server/src/modules/audit/audit.ts";
import { chargeAll } from "@tollgate/server/src/modules/pricing/preview/previews.ts";
import { changePrices, installPrices } from "@tollgate/server/src/modules/pricing/pricing.ts";
import { pricingStore } from "@tollgate/server/src/modules/pricing/pricing.store.ts";
import { runAudit } from "@tollgate/server/src/modules/proof/audit-command.ts";
import { rerateStore } from "@tollgate/server/src/modules/rerates/rerates.store.ts";
import { openRerateWork } from "@tollgate/server/src/modules/rerates/work-on-rerate.ts";
import { makePast, pastSeconds, pastStart, readPrices } from "./past-calls.ts";
import { makeRealCalls } from "./real-calls.ts";

const [first = "", second = "", third = "", file = ""] = process.argv.slice(2);
const modelCount = 40;
const userCount = 50;
const stepRows = 500;
const pageRows = 10_000;

/** After this time a run with a file ends once its step is done, in milliseconds. */
const runMaxMs = 420_000;
const began = performance.now();

if (first === "--work") await work(second, third);
else await main(Number(first || 1_000_000), second === "postgres" ? "postgres" : "sqlite");

/** Charges calls again without pauses, until it is killed or there are no more. */
async function work(addressText: string, startMs: string): Promise<void> {
  // Safe cast: the parent has written the text.
  const address = JSON.parse(addressText) as DatabaseAddress;
  const { db, close } = openDatabase(address, "writer");
  const store = bindStore(rerateStore, db);
  const now = (): number => Number(startMs) + Math.round(performance.now() - began);
  const run = openRerateWork({
    store,
    planCharges: bindStore(pricingStore, db).planCharges,
    money: { rechargeUsers: async (wanted, write) => await write(wanted) },
    node: crypto.randomUUID(),
    rows: stepRows,
    now,
    elapsed: () => performance.now(),
    wait: async () => {},
  });
  while (await store.hasOpenRerate()) await run();
  await close();
}

type Dialect = "postgres" | "sqlite";
type Span = { readonly start: number; readonly end: number };

/** The database, the time of its calls, and the results of the steps that are done, by their name. */
type Bench = {
  readonly db: Db;
  readonly address: DatabaseAddress;
  readonly span: Span;
  readonly done: Record<string, unknown>;
  close(): Promise<void>;
};

async function main(calls: number, dialect: Dialect): Promise<void> {
  const kills = Number(third || 20);
  const bench = file === "" ? await openPast(calls, dialect) : await openKept(calls, dialect);
  const { db, address, span } = bench;
  try {
    const laterMs = (span.end + 3_600) * 1_000;
    const count = await callCount(db);
    expectSame("the calls", count, calls);
    const before = await step(bench, "their state", () => stateOf(db));
    const seen = await step(bench, "their preview", () => preview(db, span, laterMs));
    const wish = { reason: "bench", notice: "bench", shortfall: "skip" as const };
    const asked = { ...wish, actor: systemActor };
    const store = bindStore(rerateStore, db);
    const id = await step(bench, "the re-rate begins", () =>
      store.beginRerate(seen, { ...asked, nowMs: laterMs + 60_000 }),
    );
    await step(bench, "the re-rate", () => through(bench, { kills, id, laterMs }));
    const change = seen.after - seen.before;
    expectSame("the re-rate and its preview", await changeOf(db, id), change);
    const sum = await step(bench, "every call computed anew", () => recompute(db));
    expectSame("the recomputation and the preview", sum, seen.after);
    await step(bench, "the audit", () => audit(address));

    const undo = await step(bench, "the undo begins", () =>
      store.beginUndo(id, { ...asked, nowMs: laterMs + 3_600_000 }),
    );
    await step(bench, "the undo", () => through(bench, { kills, id: undo, laterMs }));
    expectSame("the undo and the re-rate", await changeOf(db, undo), 0 - change);
    const after = await step(bench, "the state after the undo", () => stateOf(db));
    expectSame("the books after the undo", after, before);
    await step(bench, "the audit after the undo", () => audit(address));
    tell(`all is as it must be: ${calls} calls, ${change} units`);
  } finally {
    await bench.close();
  }
}

/** Opens a new database with calls that the ledger's own functions have made. */
async function openPast(calls: number, dialect: Dialect): Promise<Bench> {
  const { db, address, close } = await openTestDatabase(dialect);
  const models = Object.keys(defaultPriceList.ModelRatio).slice(0, modelCount);
  await installPrices(db, 1);
  const span = { start: pastStart, end: pastStart + pastSeconds };
  const bench = { db, address, span, done: {}, close };
  await step(bench, `${calls} calls on ${dialect}`, async () => {
    await makePast(db, { calls, users: userCount, models });
    return null;
  });
  return bench;
}

type Kept = {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly startMs: number;
  endMs: number;
  readonly done: Record<string, unknown>;
};

/** Opens the database that the file names, or a new one, and lets the product make what lacks. */
async function openKept(calls: number, dialect: Dialect): Promise<Bench> {
  const kept = await readKept(dialect);
  const { dataDir, env, startMs, done } = kept;
  const url = env["DATABASE_URL"];
  const address: DatabaseAddress =
    url === undefined
      ? { dialect: "sqlite", file: join(dataDir, "tollgate.db") }
      : { dialect: "postgres", url };
  const made = Object.keys(done).length > 0 ? calls : await madeCalls(address);
  if (made < calls) {
    const wanted = { calls: calls - made, users: 10, models: modelCount, maxMs: runMaxMs };
    const home = { dialect, dataDir, env, remove: async () => {} };
    const more = await timed("calls", makeRealCalls(home, wanted));
    tell(`${made + more} of ${calls} calls are made`);
    kept.endMs = Date.now();
    writeFileSync(file, JSON.stringify(kept));
    goOnLater();
  }
  const { db, close } = openDatabase(address, "writer");
  const span = { start: Math.floor(startMs / 1_000), end: Math.ceil(kept.endMs / 1_000) + 60 };
  const noted = new Proxy(done, {
    set(target, name, value) {
      const isSet = Reflect.set(target, name, value);
      writeFileSync(file, JSON.stringify(kept));
      return isSet;
    },
  });
  return { db, address, span, done: noted, close };
}

async function readKept(dialect: Dialect): Promise<Kept> {
  // Safe cast: this program has written the file.
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Kept;
  const { dataDir, env } = await makeHome(dialect, dirname(file));
  const startMs = Date.now();
  const kept = { dataDir, env, startMs, endMs: startMs, done: {} };
  writeFileSync(file, JSON.stringify(kept));
  return kept;
}

/** Counts the calls of a database, which may have no tables yet. */
async function madeCalls(address: DatabaseAddress): Promise<number> {
  const { db, close } = openDatabase(address, "writer");
  const count = await callCount(db).catch(() => 0);
  await close();
  return count;
}

async function callCount(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom("logs")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("type", "=", 2)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Does a step unless it is done already, and notes its result. */
async function step<Result>(
  { done }: Pick<Bench, "done">,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  // Safe cast: the step has given this result.
  if (name in done) return done[name] as Result;
  if (file !== "" && performance.now() - began > runMaxMs) goOnLater();
  const result = await timed(name, work());
  done[name] = result ?? null;
  return result;
}

function goOnLater(): void {
  if (performance.now() - began < runMaxMs / 2) return;
  tell("the next run goes on here");
  process.exit(0);
}

/** Saves prices for some models, and adds up what the calls would cost by them. */
async function preview(db: Db, { start, end }: Span, laterMs: number) {
  const { list } = await readPrices(db);
  const names = db.selectFrom("usage_hours").select("model_name").distinct();
  const models = await names.orderBy("model_name").execute();
  const changed = models.map((row) => row.model_name).filter((_, at) => at % 3 !== 0);
  const ratios = changed.map((name, at) => [name, at % 2 === 0 ? "7.31" : "0.0137"] as const);
  const parts = { ModelRatio: { ...list.ModelRatio, ...Object.fromEntries(ratios) } };
  await db.transaction().execute(async (tx) => {
    await changePrices(tx, { parts, createdBy: 1, nowMs: laterMs });
  });
  const pricing = bindStore(pricingStore, db);
  const { id: version } = await readPrices(db);
  const prices = { changes: {}, books: [], options: {}, version };
  const tried = { kind: "changes", prices } as const;
  const begun = { name: "bench", tried, by: 1, nowMs: laterMs, start, end };
  const { plan } = await pricing.beginPreview(begun);
  const result = await chargeAll(pricing, plan, { state: "running", done: 0 });
  if (result === null) throw new Error("the preview was cancelled");
  const { calls, before, after } = result.totals;
  const of = { name: "bench", version, start, end, last: plan.last, nowMs: laterMs };
  return { ...of, calls, before, after };
}

/** Lets processes work on a re-rate, and kills so many of them while they do. */
async function through(
  { db, address, done }: Bench,
  { kills, id, laterMs }: { readonly kills: number; readonly id: number; readonly laterMs: number },
): Promise<number> {
  const row = db.selectFrom("rerates").select("calls").where("id", "=", id);
  const { calls } = await row.executeTakeFirstOrThrow();
  let killed = 0;
  for (;;) {
    const started = Number(done["processes"] ?? 0) + 1;
    done["processes"] = started;
    // Later than the claim of the process before it.
    const startMs = laterMs + 7_200_000 + started * 60_000;
    const words = ["--work", JSON.stringify(address), String(startMs)];
    const child = Bun.spawn([process.execPath, "--no-env-file", import.meta.path, ...words], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    const goal = Math.floor(((killed + 1) * calls) / (kills + 1));
    while (killed < kills && child.exitCode === null && (await doneOf(db, id)) < goal) {
      await Bun.sleep(5);
    }
    if (killed < kills && child.exitCode === null) {
      child.kill("SIGKILL");
      killed += 1;
    }
    await child.exited;
    if (child.exitCode === 0) break;
    if (child.signalCode !== "SIGKILL") throw new Error("a process has failed");
  }
  // Of few calls the last process may be too fast for its kill.
  tell(`re-rate ${id}: ${killed} of ${kills} kills`);
  return killed;
}

async function doneOf(db: Db, id: number): Promise<number> {
  const row = db.selectFrom("rerates").select("done").where("id", "=", id);
  return (await row.executeTakeFirstOrThrow()).done;
}

async function changeOf(db: Db, id: number): Promise<number> {
  const row = await db
    .selectFrom("rerates")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  if (row.state !== "done" || row.skipped_calls + row.gone_calls > 0) {
    throw new Error(`re-rate ${id}: ${JSON.stringify(row)}`);
  }
  return row.raised - row.lowered;
}

/** Computes each call by the newest prices, and compares it with its row. */
async function recompute(db: Db): Promise<number> {
  const { list } = await readPrices(db);
  let sum = 0;
  for await (const row of callRows(db)) {
    const price = unitPrice(list, row.model_name, row.group);
    if (price === undefined) throw new Error(`${row.model_name} has no price`);
    const due = charge(price, chargedUsage.parse(JSON.parse(row.usage)));
    if (row.quota + row.rerated !== due) {
      throw new Error(`row ${row.id} costs ${due}, and says ${row.quota + row.rerated}`);
    }
    sum += due;
  }
  const { quota } = await db
    .selectFrom("usage_hours")
    .select((eb) => eb.fn.sum("quota").as("quota"))
    .executeTakeFirstOrThrow();
  expectSame("the hours and the calls", Number(quota), sum);
  return sum;
}

async function* callRows(db: Db) {
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom("logs")
      .select(["id", "model_name", "group", "quota", "rerated", "usage"])
      .where("id", ">", after)
      .where("type", "=", 2)
      .orderBy("id")
      .limit(pageRows)
      .execute();
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** A hash of everything that a re-rate changes. */
async function stateOf(db: Db): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  const add = (rows: readonly object[]): void => {
    for (const row of rows) hash.update(JSON.stringify(row));
  };
  const balances = ["user_id", "balance", "used", "held", "debt"] as const;
  add(await db.selectFrom("balances").select(balances).orderBy("user_id").execute());
  const hours = db
    .selectFrom("usage_hours")
    .selectAll()
    .orderBy("hour")
    .orderBy("user_id")
    .orderBy("channel_id")
    .orderBy("model_name");
  add(await hours.orderBy("token_id").orderBy("group").execute());
  add(await db.selectFrom("counters").selectAll().orderBy("kind").orderBy("id").execute());
  for await (const { id, quota, rerated } of callRows(db)) {
    hash.update(`${id} ${quota} ${rerated}\n`);
  }
  return hash.digest("hex");
}

async function audit(address: DatabaseAddress): Promise<number> {
  const lines: string[] = [];
  const none = async (): Promise<null> => null;
  const code = await runAudit(address, (line) => void lines.push(line), none);
  if (code !== 0) throw new Error(lines.join("\n"));
  return code;
}

function expectSame(what: string, found: number | string, wanted: number | string): void {
  if (found !== wanted) throw new Error(`${what} differ: ${found}, not ${wanted}`);
}

async function timed<Result>(what: string, work: Promise<Result>): Promise<Result> {
  const from = performance.now();
  const result = await work;
  tell(`${what}: ${((performance.now() - from) / 1_000).toFixed(1)} s`);
  return result;
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
