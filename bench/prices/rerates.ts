/**
 * Tries a re-rate at full size: `bun bench/prices/rerates.ts [calls] [dialect] [kills]` makes as many
 * calls over 40 models, saves other prices, and lets processes charge all calls again that are killed
 * so often. The preview, the re-rate and a recomputation of every call must be the same to the unit,
 * the audit must find nothing, and after the same with its undo all must be as before. PostgreSQL
 * needs a server: `node scripts/postgres.mjs -- bun bench/prices/rerates.ts 1000000 postgres`.
 */

import { charge, chargedUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { DatabaseAddress } from "@tollgate/server/src/db/connection.ts";
import { openDatabase } from "@tollgate/server/src/db/connection.ts";
import type { Db } from "@tollgate/server/src/db/database.ts";
import { bindStore } from "@tollgate/server/src/db/store.ts";
import { openTestDatabase } from "@tollgate/server/src/db/testing/database.ts";
import { systemActor } from "@tollgate/server/src/modules/audit/audit.ts";
import { chargeAll } from "@tollgate/server/src/modules/pricing/preview/previews.ts";
import { changePrices, installPrices } from "@tollgate/server/src/modules/pricing/pricing.ts";
import { pricingStore } from "@tollgate/server/src/modules/pricing/pricing.store.ts";
import { runAudit } from "@tollgate/server/src/modules/proof/audit-command.ts";
import { rerateStore } from "@tollgate/server/src/modules/rerates/rerates.store.ts";
import { openRerateWork } from "@tollgate/server/src/modules/rerates/work-on-rerate.ts";
import { makePast, pastSeconds, pastStart, readPrices } from "./past-calls.ts";

const [first = "", second = "", third = ""] = process.argv.slice(2);
const modelCount = 40;
const userCount = 50;
const stepRows = 500;
const pageRows = 10_000;

/** A re-rate begins some time after its calls. */
const laterMs = (pastStart + pastSeconds + 3_600) * 1_000;

if (first === "--work") await work(second, third);
else await main(Number(first || 1_000_000), second === "postgres" ? "postgres" : "sqlite");

/** Charges calls again without pauses, until it is killed or there are no more. */
async function work(addressText: string, startMs: string): Promise<void> {
  // Safe cast: the parent has written the text.
  const address = JSON.parse(addressText) as DatabaseAddress;
  const { db, close } = openDatabase(address, "writer");
  const store = bindStore(rerateStore, db);
  const began = performance.now();
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

async function main(calls: number, dialect: "postgres" | "sqlite"): Promise<void> {
  const kills = Number(third || 20);
  const models = Object.keys(defaultPriceList.ModelRatio).slice(0, modelCount);
  const { db, address, close } = await openTestDatabase(dialect);
  try {
    await installPrices(db, 1);
    await timed(`${calls} calls on ${dialect}`, makePast(db, { calls, users: userCount, models }));
    const before = await timed("their state", stateOf(db));
    const seen = await preview(db, models);
    const wish = { reason: "bench", notice: "bench", shortfall: "skip" as const };
    const asked = { ...wish, actor: systemActor };
    const store = bindStore(rerateStore, db);
    const id = await store.beginRerate(seen, { ...asked, nowMs: laterMs + 60_000 });
    await through(db, address, kills, id);
    const change = seen.after - seen.before;
    expectSame("the re-rate and its preview", await changeOf(db, id), change);
    const sum = await timed("every call computed anew", recompute(db));
    expectSame("the recomputation and the preview", sum, seen.after);
    await audit(address);

    const undo = await store.beginUndo(id, { ...asked, nowMs: laterMs + 3_600_000 });
    await through(db, address, kills, undo);
    expectSame("the undo and the re-rate", await changeOf(db, undo), 0 - change);
    expectSame("the books after the undo", await timed("the state", stateOf(db)), before);
    await audit(address);
    tell(`all is as it must be: ${calls} calls, ${change} units`);
  } finally {
    await close();
  }
}

/** Saves prices for some models, and adds up what the calls would cost by them. */
async function preview(db: Db, models: readonly string[]) {
  const { list } = await readPrices(db);
  const changed = models.filter((_, at) => at % 3 !== 0);
  const ratios = changed.map((name, at) => [name, at % 2 === 0 ? "7.31" : "0.0137"] as const);
  const parts = { ModelRatio: { ...list.ModelRatio, ...Object.fromEntries(ratios) } };
  await db.transaction().execute(async (tx) => {
    await changePrices(tx, { parts, createdBy: 1, nowMs: laterMs });
  });
  const pricing = bindStore(pricingStore, db);
  const { id: version } = await readPrices(db);
  const prices = { changes: {}, books: [], options: {}, version };
  const span = { start: pastStart, end: pastStart + pastSeconds };
  const tried = { kind: "changes", prices } as const;
  const begun = { name: "bench", tried, by: 1, nowMs: laterMs, ...span };
  const { plan } = await pricing.beginPreview(begun);
  const result = await timed(
    "its preview",
    chargeAll(pricing, plan, { state: "running", done: 0 }),
  );
  if (result === null) throw new Error("the preview was cancelled");
  const { calls, before, after } = result.totals;
  return { name: "bench", version, ...span, last: plan.last, nowMs: laterMs, calls, before, after };
}

/** Lets processes work on a re-rate, and kills so many of them while they do. */
async function through(db: Db, address: DatabaseAddress, kills: number, id: number): Promise<void> {
  const row = db.selectFrom("rerates").select("calls").where("id", "=", id);
  const { calls } = await row.executeTakeFirstOrThrow();
  let startMs = laterMs + 7_200_000;
  let killed = 0;
  const began = performance.now();
  for (;;) {
    // Later than the claim of the process before it.
    startMs += 60_000;
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
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  // Of few calls the last process may be too fast for its kill.
  tell(`re-rate ${id}: ${seconds} s, ${killed} of ${kills} kills`);
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

async function audit(address: DatabaseAddress): Promise<void> {
  const lines: string[] = [];
  const none = async (): Promise<null> => null;
  const code = await timed(
    "the audit",
    runAudit(address, (line) => void lines.push(line), none),
  );
  if (code !== 0) throw new Error(lines.join("\n"));
}

function expectSame(what: string, found: number | string, wanted: number | string): void {
  if (found !== wanted) throw new Error(`${what} differ: ${found}, not ${wanted}`);
}

async function timed<Result>(what: string, work: Promise<Result>): Promise<Result> {
  const began = performance.now();
  const result = await work;
  tell(`${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  return result;
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
