/** Books with calls of some users, prices that were saved later, and nodes that charge calls again. */

import { charge, noUsage, priceList, unitPrice } from "@tollgate/contract/money/charge.ts";
import * as previews from "@tollgate/contract/endpoints/price-previews.ts";
import * as contract from "@tollgate/contract/endpoints/rerates.ts";
import { openLogger } from "#base/logger.ts";
import { systemRandom } from "#base/random.ts";
import { seededRandom } from "#base/testing/random.ts";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { bindStore } from "#db/store.ts";
import type { Caller } from "#http/handler.ts";
import { openTestBooks, settle, setUpMs, type TestBooks } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { previewHandlers } from "#modules/pricing/price-previews.handlers.ts";
import { openPreviews } from "#modules/pricing/preview/previews.ts";
import { pricingStore } from "#modules/pricing/pricing.store.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { rerateHandlers } from "#modules/rerates/rerates.handlers.ts";
import { rerateStore } from "#modules/rerates/rerates.store.ts";
import { openRerateWork } from "#modules/rerates/work-on-rerate.ts";

const root: Caller = {
  userId: 1,
  role: 100,
  username: "root",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};
const models = ["gpt-4o", "o1", "gpt-4o-mini"];
const start = 1_763_700_000;
const end = start + 6 * 3_600;
/** Some days after the calls. */
const laterMs = setUpMs + 3 * 86_400_000;

class Killed extends Error {}

/** Opens books with the calls of three users, and a version of prices with these ratios. */
export async function openRerateScene(
  dialect: Dialect,
  callCount = 60,
  ratios: Readonly<Record<string, string>> = { "gpt-4o": "2.37", o1: "3.1" },
) {
  const books = await openTestBooks(dialect);
  const { db } = books;
  const { list, version } = await makeCalls(books, callCount, ratios);
  const clock = { nowMs: laterMs };
  const lab = openLab(db, version, clock);
  const work = openWork(db, lab.ask, clock);
  const audit = async () => {
    const { flaw } = await db.transaction().execute(async (tx) => await proveLedger(tx));
    return flaw === null ? "" : `${flaw.check} fails at ${flaw.table} ${flaw.row}: ${flaw.reason}`;
  };
  const pass = (ms: number) => (clock.nowMs += ms);
  return { ...books, ...lab, audit, list, pass, version, work };
}

/** Makes the calls, and saves other prices afterwards. */
async function makeCalls(
  books: TestBooks,
  callCount: number,
  ratios: Readonly<Record<string, string>>,
) {
  const { db } = books;
  const random = seededRandom(40);
  for (const name of ["root", "alice", "bob"]) {
    const id = await books.addUser(name, 10_000_000);
    await books.addToken(id, `of-${name}`, 10_000_000);
  }
  const { content } = await db
    .selectFrom("price_versions")
    .select("content")
    .executeTakeFirstOrThrow();
  const list = priceList.parse(JSON.parse(content));
  const costs = await books.addCosts(5, { "gpt-4o": { tokens: { input: "1", output: "2" } } });
  for (let at = 0; at < callCount; at += 1) {
    const userId = random.between(1, 3);
    const usage = { ...noUsage, input: random.between(1, 9_000), output: random.between(0, 900) };
    const modelName = random.pick(models);
    const price = unitPrice(list, modelName, "default");
    if (price === undefined) throw new Error(`${modelName} has no price`);
    const cost = costs.priceOf(modelName);
    const facts = { id: `call-${at}`, userId, tokenId: userId };
    const due = charge(price, usage);
    const log = chargedLog({
      requestId: facts.id,
      userId,
      tokenId: userId,
      modelName,
      usage,
      createdAt: start + random.below(6 * 3_600),
      cost: cost === undefined ? null : charge(cost, usage),
      costVersion: costs.version,
    });
    await books.apply([{ ...settle(due, facts), log } as ReturnType<typeof settle>]);
  }
  const version = await books.addPrices({
    ModelRatio: { ...list.ModelRatio, ...ratios },
  });
  return { list, version };
}

type Clock = { nowMs: number };

/** The console API of previews and re-rates. */
function openLab(db: Db, version: number, clock: Clock) {
  const pricing = bindStore(pricingStore, db);
  const store = bindStore(rerateStore, db);
  const now = () => clock.nowMs;
  const elapsed = () => performance.now();
  const lab = openPreviews({
    store: pricing,
    random: systemRandom,
    now,
    elapsed,
    log: openLogger("silent"),
  });
  const handlers = [
    ...previewHandlers(lab),
    ...rerateHandlers({ store, readPreview: pricing.readPreview, now }),
  ];
  const ask = async (endpoint: object, input: object): Promise<unknown> =>
    await handlers
      .find((handler) => handler.endpoint === endpoint)
      ?.run(
        // Safe cast: these are the inputs of the endpoints.
        (endpoint as typeof contract.beginRerate).input.parse(input) as never,
        root,
      );
  const preview = async () => {
    clock.nowMs += 5_000;
    const span = { version, start_timestamp: start, end_timestamp: end };
    const begun = await ask(previews.beginPricePreview, span);
    const { id } = previews.beginPricePreview.output.parse(begun);
    for (;;) {
      const read = previews.readPricePreview.output.parse(
        await ask(previews.readPricePreview, { name: id }),
      );
      if (read.result !== null) return { ...read, result: read.result };
      await Bun.sleep(2);
    }
  };
  const begin = async (name: string, shortfall: contract.Shortfall = "skip") => {
    clock.nowMs += 5_000;
    const asked = { preview: name, reason: "wrong price", notice: "our mistake", shortfall };
    return contract.beginRerate.output.parse(await ask(contract.beginRerate, asked)).id;
  };
  const undo = async (id: number, shortfall: contract.Shortfall = "skip") => {
    clock.nowMs += 5_000;
    const asked = { id, reason: "taken back", notice: "as before", shortfall };
    return contract.undoRerate.output.parse(await ask(contract.undoRerate, asked)).id;
  };
  return { ask, begin, preview, undo };
}

/** Nodes that work on re-rates. */
function openWork(
  db: Db,
  ask: (endpoint: object, input: object) => Promise<unknown>,
  clock: Clock,
) {
  const pricing = bindStore(pricingStore, db);
  const store = bindStore(rerateStore, db);
  /** Runs nodes that work on it until it has ended; `kills` of them die in their first step. */
  return async (id: number, kills = 0) => {
    let left = kills;
    for (let node = 0; ; node += 1) {
      clock.nowMs += 5_000;
      // Half of the dead nodes have committed their step.
      const isKilled = left > 0;
      const isAfter = left % 2 === 0;
      left -= 1;
      const run = openRerateWork({
        store: {
          ...store,
          async stepRerate(...given) {
            if (isKilled && !isAfter) throw new Killed("before");
            const done = await store.stepRerate(...given);
            if (isKilled) throw new Killed("after");
            // A step that another node has planned as well counts once.
            await store.stepRerate(...given);
            return done;
          },
        },
        planCharges: pricing.planCharges,
        money: { rechargeUsers: async (wanted, write) => await write(wanted) },
        node: `node-${node}`,
        rows: 3,
        now: () => clock.nowMs,
        elapsed: () => performance.now(),
        wait: async () => {},
      });
      await run().catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      const { rerate } = contract.readRerate.output.parse(await ask(contract.readRerate, { id }));
      if (rerate.state === "done" || rerate.state === "stopped") return rerate;
    }
  };
}
