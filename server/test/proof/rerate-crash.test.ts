/** `kill -9` of the gateway while it charges past calls again, and while it takes that back. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { charge, noUsage, priceList, unitPrice } from "@tollgate/contract/money/charge.ts";
import type { PricePreview } from "@tollgate/contract/endpoints/price-previews.ts";
import type { Rerate } from "@tollgate/contract/endpoints/rerates.ts";
import { seededRandom } from "#base/testing/random.ts";
import { openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { postEntry } from "#modules/ledger/ledger.ts";
import { applyAs } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { type ConsoleClient, signIn } from "#test/console.ts";
import { type Home, makeStartedHome, runCommand, startGateway } from "#test/gateway.ts";
import { setOption } from "./installation.ts";

const callCount = 2_400;
const batchCalls = 300;
const killsEach = 5;
const models = ["gpt-4o", "o1", "gpt-4o-mini"];

/** Calls of some days ago. */
const firstSecond = Math.floor(Date.now() / 1_000) - 3 * 86_400;
const spanSeconds = 5 * 3_600;

async function withDb<Result>(home: Home, use: (db: Db) => Promise<Result>): Promise<Result> {
  const file = join(home.dataDir, "tollgate.db");
  const url = home.env["DATABASE_URL"] ?? "";
  const { db, close } = openDatabase(
    home.dialect === "sqlite" ? { dialect: home.dialect, file } : { dialect: home.dialect, url },
    "writer",
  );
  try {
    return await use(db);
  } finally {
    await close();
  }
}

async function makeCalls(db: Db): Promise<void> {
  const random = seededRandom(41);
  const version = await db
    .selectFrom("price_versions")
    .select(["id", "content"])
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
  const list = priceList.parse(JSON.parse(version.content));
  const nowMs = firstSecond * 1_000;
  const gift = { cause: "proof", kind: "admin_adjust", userId: 1, detail: "", nowMs } as const;
  await db
    .transaction()
    .execute(async (tx) => await postEntry(tx, { ...gift, amount: 1_000_000_000 }));
  for (let first = 0; first < callCount; first += batchCalls) {
    const calls = Array.from({ length: batchCalls }, (_, at) => {
      const id = `past-${first + at}`;
      const modelName = random.pick(models);
      const usage = { ...noUsage, input: random.between(1, 9_000), output: random.below(900) };
      const price = unitPrice(list, modelName, "default");
      if (price === undefined) throw new Error(`${modelName} has no price`);
      const log = chargedLog({
        requestId: id,
        userId: 1,
        username: "root",
        tokenId: 0,
        tokenName: "",
        modelName,
        usage,
        priceVersion: version.id,
        createdAt: firstSecond + random.below(spanSeconds),
      });
      const due = charge(price, usage);
      return { type: "settle", id, tokenLimited: false, charge: due, charged: null, log } as const;
    });
    await applyAs(db, "gone", calls);
  }
}

/** What a re-rate changes, and what it leaves as it is. */
async function stateOf(db: Db) {
  const sums = await db
    .selectFrom("balances")
    .select(["balance", "used", "debt"])
    .where("user_id", "=", 1)
    .executeTakeFirstOrThrow();
  const hours = await db.selectFrom("usage_hours").selectAll().orderBy("hour").execute();
  const rows = await db
    .selectFrom("logs")
    .select(["id", "quota", "rerated"])
    .where("type", "=", 2)
    .orderBy("id")
    .execute();
  return { sums, hours: hours.map((row) => JSON.stringify(row)).toSorted(), rows };
}

/** Starts the gateway again and again, and kills it while it works; at last it ends the re-rate. */
async function endThroughKills(home: Home, id: number): Promise<Rerate> {
  for (let kill = 0; ; kill += 1) {
    const node = await startGateway(home);
    const root = await signIn(node.origin);
    try {
      const atStart = await readDone(root, id);
      const isLast = kill >= killsEach;
      for (;;) {
        const rerate = await readDone(root, id);
        if (rerate.state === "done") return rerate;
        if (!isLast && rerate.done > atStart.done) break;
        await Bun.sleep(10);
      }
    } finally {
      await node.kill();
    }
  }
}

async function readDone(root: ConsoleClient, id: number): Promise<Rerate> {
  return (await root.call<{ rerate: Rerate }>("GET", `/api/prices/rerates/${id}`)).rerate;
}

for (const dialect of testDialects) {
  test(`calls that are charged again count once each through kills, as the preview says, and taken back all is as before: ${dialect}`, async () => {
    const home = await makeStartedHome(dialect);
    try {
      await withDb(home, makeCalls);
      const before = await withDb(home, stateOf);
      let node = await startGateway(home);
      let root = await signIn(node.origin);
      await setOption(root, "RootSecondFactorRequired", "false");
      // It is asked again and again how far it is.
      await setOption(root, "ConsoleRequestsPerMinute", "0");
      await root.call("PUT", "/api/prices/", {
        changes: { ModelRatio: { "gpt-4o": "2.37", o1: "3.1" } },
      });
      const { version } = await root.call<{ version: number }>("GET", "/api/prices/");
      const span = {
        start_timestamp: firstSecond - 60,
        end_timestamp: firstSecond + spanSeconds + 60,
      };
      let preview = await root.call<PricePreview>("POST", "/api/prices/previews", {
        version,
        ...span,
      });
      while (preview.state === "running") {
        await Bun.sleep(50);
        preview = await root.call("GET", `/api/prices/previews/${preview.id}`);
      }
      const { calls = 0, before: charged = 0, after = 0 } = preview.result?.totals ?? {};
      expect(calls).toBe(callCount);
      const wish = { reason: "wrong price", notice: "our mistake" };
      const { id } = await root.call<{ id: number }>("POST", "/api/prices/rerates", {
        ...wish,
        preview: preview.id,
      });
      await node.kill();
      const done = await endThroughKills(home, id);
      expect(done).toMatchObject({ done: callCount, calls: callCount, skipped: 0, gone: 0 });
      expect(done.raised - done.lowered).toBe(after - charged);
      const audited = await runCommand(home, ["audit"]);
      expect(audited.code, audited.output).toBe(0);

      node = await startGateway(home);
      root = await signIn(node.origin);
      const undo = await root.call<{ id: number }>("POST", `/api/prices/rerates/${id}/undo`, wish);
      await node.kill();
      const back = await endThroughKills(home, undo.id);
      expect(back.raised - back.lowered).toBe(charged - after);
      const restored = await withDb(home, stateOf);
      expect(restored).toEqual(before);
      const again = await runCommand(home, ["audit"]);
      expect(again.code, again.output).toBe(0);
    } finally {
      await home.remove();
    }
  }, 240_000);
}
