/** A ledger for tests of the proof: its history is so varied that each check has rows to check. */

import {
  charge,
  noUsage,
  type PriceList,
  priceList,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import type { Usage } from "#canonical/usage.ts";
import type { Dialect } from "#db/dialect.ts";
import type { openCosts } from "#modules/costs/costs.ts";
import { raiseLogWatermark } from "#modules/logs/logs.ts";
import type { Operation } from "#modules/ledger/operations.ts";
import { makeTotals } from "#modules/logs/testing/totals.ts";
import { applyAs, facts, loseNode, openTestBooks, setUpMs, take, type TestBooks } from "./books.ts";
import { chargedLog, failedLog } from "./calls.ts";

type Call = {
  readonly userId: number;
  /** Id of the token; 0: the call used none. */
  readonly tokenId: number;
  readonly limited: boolean;
  readonly channelId: number;
  readonly modelName: string;
  readonly group: string;
  readonly usage: Partial<Usage>;
};

const alice = { userId: 1, tokenId: 1, limited: true, channelId: 5, group: "default" } as const;
const phone = { ...alice, tokenId: 2, limited: false, channelId: 6, group: "half" } as const;
const bob = { userId: 2, tokenId: 3, limited: true, channelId: 5, group: "default" } as const;
const carol = { userId: 3, tokenId: 0, limited: false, channelId: 0, group: "default" } as const;

/**
 * Calls of every kind that the proof checks: priced by ratio and by call, in both groups, free, and
 * one that costs more than its user has left.
 */
const calls: readonly Call[] = [
  { ...alice, modelName: "gpt-4o", usage: { input: 100, output: 30 } },
  { ...alice, modelName: "gpt-4o", usage: { input: 7, cacheRead: 90, reasoning: 11 } },
  { ...phone, modelName: "m", usage: { input: 301 } },
  { ...phone, modelName: "f", usage: { input: 1, output: 1 } },
  { ...bob, modelName: "m", usage: { input: 220, output: 3 } },
  { ...alice, modelName: "m", usage: {} },
  { ...carol, modelName: "gpt-4o", usage: { input: 40, output: 8 } },
  { ...bob, modelName: "f", usage: { input: 5, inputImage: 2 } },
];

/**
 * Number of hours in which calls happen. A cleaning then removes all log rows of the first hour and
 * half of those of the second.
 */
const hourCount = 4;

export type TestHistory = TestBooks & {
  /** The watermark: log rows up to this id were removed. */
  readonly watermark: number;
  /** The last hour of which log rows were removed, in Unix seconds. */
  readonly cleanedHour: number;
};

export async function openTestHistory(dialect: Dialect): Promise<TestHistory> {
  const books = await openTestBooks(dialect);
  await books.addUser("alice", 50_000);
  await books.addUser("bob", 2_500);
  await books.addUser("carol", 9_000);
  // The user dave gets no ledger entries: a user with an empty chain.
  await books.addUser("dave", 0);
  await books.addToken(1, "laptop", 20_000);
  await books.addToken(1, "phone", 0);
  await books.addToken(2, "laptop", 2_000);
  const settlements: Settlement[] = [];
  for (let hour = 0; hour < hourCount; hour += 1) {
    const version = await books.addPrices({
      ModelRatio: { "gpt-4o": "1.25", m: `1.${hour}` },
      CompletionRatio: { "gpt-4o": "4" },
      ModelPrice: { f: "0.002" },
      GroupRatio: { default: "1", half: "0.5" },
    });
    const costs = new Map([
      // Of what calls of `f` cost there, nothing is known.
      [5, await books.addCosts(5, { "gpt-4o": dollars(`1.${hour}`), m: dollars("2.5") })],
      [6, await books.addCosts(6, { f: { perCall: `0.00${hour}` }, m: dollars(`0.${hour}`) })],
    ]);
    settlements.push(...(await callEverything(books, hour, { version, costs })));
    await books.credit(1, 1_000 + hour, `admin:${hour}`);
    await books.credit(2, -1, `admin:-${hour}`);
  }
  await leaveUncharged(books);
  await giveBack(books, settlements);
  // So late that there are totals of hours, of the day and of its eight days.
  await makeTotals(books.db, setUpMs / 1_000 + 10 * 86_400);
  return { ...books, ...(await clean(books)) };
}

const dollars = (input: string) => ({ tokens: { input, output: "3" } });

type Lists = {
  /** The price version. */
  readonly version: number;
  /** The cost lists of channels, by their ids. */
  readonly costs: ReadonlyMap<number, ReturnType<typeof openCosts>>;
};

type Settlement = Operation & { readonly type: "settle" };

async function callEverything(
  books: TestBooks,
  hour: number,
  { version, costs }: Lists,
): Promise<Settlement[]> {
  const { content } = await books.db
    .selectFrom("price_versions")
    .select("content")
    .where("id", "=", version)
    .executeTakeFirstOrThrow();
  const list = priceList.parse(JSON.parse(content));
  const settlements = calls.map((call, index) =>
    settlementOf(call, { list, version, costs, hour, index }),
  );
  // The first two settlements are applied in transactions of their own, the others in one.
  for (const settlement of settlements.slice(0, 2)) await books.apply([settlement]);
  await books.apply(settlements.slice(2));
  return settlements;
}

type When = Lists & {
  readonly list: PriceList;
  readonly hour: number;
  readonly index: number;
};

function settlementOf(call: Call, { list, version, costs, hour, index }: When): Settlement {
  const { userId, tokenId, limited, channelId, modelName, group } = call;
  const usage = { ...noUsage, ...call.usage };
  const price = unitPrice(list, modelName, group);
  if (price === undefined) throw new Error(`${modelName} has no price`);
  const id = `call-${hour}-${index}`;
  const costList = costs.get(channelId);
  const cost = costList?.priceOf(modelName);
  const log = chargedLog({
    requestId: id,
    createdAt: setUpMs / 1_000 + hour * 3_600 + index,
    userId,
    username: `user-${userId}`,
    tokenId,
    tokenName: "laptop",
    tried: [channelId],
    modelName,
    group,
    usage,
    priceVersion: version,
    cost: cost === undefined ? null : charge(cost, usage),
    costVersion: costList?.version ?? 0,
    reportedCost: index === 2 ? "0.0012" : "",
    losses: index === 1 ? ["seed"] : [],
  });
  const due = charge(price, usage);
  return { type: "settle", id, tokenLimited: limited, charge: due, charged: null, log };
}

/** Adds failed and interrupted calls and, on PostgreSQL, two calls that still run. */
async function leaveUncharged(books: TestBooks): Promise<void> {
  const log = failedLog({ requestId: "failed" });
  await books.apply([{ type: "fail", log }]);
  if (books.address.dialect === "postgres") {
    await books.apply([take(70, { id: "runs" }), take(9, { id: "too", tokenLimited: false })]);
    await applyAs(books.db, "dead", [take(80, { id: "interrupted" })]);
  } else {
    const interrupted = { type: "open", facts: facts({ id: "interrupted" }), amount: 80 } as const;
    await applyAs(books.db, "dead", [interrupted]);
  }
  await loseNode(books.db, "dead");
}

/**
 * Calls whose charge is given back because their answers were withheld: one in an hour that is
 * cleaned, the others in later hours.
 */
const withheldIds: readonly string[] = ["call-0-0", "call-2-0", "call-3-1"];

async function giveBack(books: TestBooks, settlements: readonly Settlement[]): Promise<void> {
  const atMs = setUpMs + hourCount * 3_600_000;
  for (const { id, tokenLimited, charge: cost, log } of settlements) {
    if (!withheldIds.includes(id)) continue;
    await books.apply([{ type: "reverse", id, tokenLimited, charge: cost, log, atMs }]);
  }
}

/**
 * Does what a cleaning does: removes the log rows of the first hour and half of those of the
 * second.
 */
async function clean({ db }: TestBooks): Promise<{ watermark: number; cleanedHour: number }> {
  const rows = await db
    .selectFrom("logs")
    .select(["id", "created_at"])
    .where("type", "=", 2)
    .orderBy("created_at")
    .limit(calls.length + calls.length / 2)
    .execute();
  const ids = rows.map(({ id }) => id);
  const watermark = Math.max(...ids);
  const last = Math.max(...rows.map((row) => row.created_at));
  await db.transaction().execute(async (tx) => {
    await raiseLogWatermark(tx, watermark);
    await tx.deleteFrom("logs").where("id", "in", ids).execute();
  });
  return { watermark, cleanedHour: last - (last % 3_600) };
}
