import { noUsage } from "@tollgate/contract/money/charge.ts";
import { afterAll, afterEach, beforeAll, expect, mock, test } from "bun:test";
import { sql } from "kysely";
import * as random from "#base/random.ts";
import { seededRandom } from "#base/testing/random.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { testDialects } from "#db/testing/database.ts";
import type { Operation } from "#modules/ledger/operations.ts";
import {
  closeTestBooks,
  facts,
  more,
  openTestBooks,
  release,
  setUpMs,
  take,
  type TestBooks,
} from "#modules/ledger/testing/books.ts";
import { chargedLog, failedLog } from "#modules/ledger/testing/calls.ts";
import { append, applyUpTo } from "#modules/ledger/testing/journal.ts";

const real = { ...random };
let salts = 0;
beforeAll(async () => {
  await mock.module("#base/random.ts", () => ({
    ...real,
    newSalt: () => String((salts += 1)).padStart(32, "0"),
  }));
});
afterAll(() => mock.module("#base/random.ts", () => real));
afterEach(closeTestBooks);

const isLong = process.env["TOLLGATE_TEST_LONG"] === "1";
const histories = isLong ? 200 : 4;

/** What differs by the way, or in each database. */
const beside: ReadonlySet<string> = new Set([
  "config_changes",
  "journal",
  "journal_heads",
  "nodes",
]);

for (const dialect of testDialects) {
  test(
    `on ${dialect} the books are the same by way of the journal and without it`,
    async () => {
      for (let seed = 1; seed <= histories; seed += 1) {
        const history = makeHistory(dialect, seed);
        const direct = await play(dialect, seed, history, "direct");
        const journaled = await play(dialect, seed, history, "journal");
        expect(journaled).toEqual(direct);
        await closeTestBooks();
      }
    },
    histories * 20_000,
  );
}

/** One step of a history; `decided`: nothing can refuse it. */
type Step = { readonly operation: Operation; readonly isDecided: boolean };

function openDice(seed: number): (below: number) => number {
  const random = seededRandom(seed);
  return (below) => random.between(0, below - 1);
}

/** Users 1 to 3 have a token each: limited, unlimited, and one with a daily budget. */
function makeHistory(dialect: Dialect, seed: number): Step[] {
  const dice = openDice(seed);
  const steps: Step[] = [];
  const open: { id: string; user: number; held: number }[] = [];
  const add = (operation: Operation, isDecided: boolean): void =>
    void steps.push({ operation, isDecided });
  for (let call = 0; call < 40; call += 1) {
    const user = 1 + dice(3);
    const id = `call-${call}`;
    const of = partsOf(id, user);
    const held = 20 + dice(60);
    if (dialect === "postgres") add(take(held, of), false);
    else if (dice(2) === 0) add({ type: "open", facts: facts(of), amount: held }, true);
    open.push({ id, user, held });
    if (dialect === "postgres" && dice(5) === 0) add(more(dice(20), held, of), false);
    const { tokenId, budget } = facts(of);
    if (budget !== undefined && dice(3) === 0) add({ type: "budget", tokenId, budget }, false);
    while (open.length > 6 || (call > 36 && open.length > 0)) {
      end(open.splice(dice(open.length), 1)[0]);
    }
  }
  return steps;

  function end(one: { id: string; user: number; held: number } | undefined): void {
    if (one === undefined) return;
    const of = partsOf(one.id, one.user);
    const way = dice(10);
    if (way < 2) {
      add(release(of), true);
      const name = `user-${one.user}`;
      const log = failedLog({ requestId: one.id, userId: one.user, username: name });
      add({ type: "fail", log }, true);
      return;
    }
    // Only the database can decide what costs more than it holds.
    const isAbove = dialect === "postgres" && way === 7;
    const charge = isAbove ? one.held + 5 : dice(one.held + 1);
    const { id, tokenLimited, budget } = facts(of);
    const ended = { id, tokenLimited, charge, log: logOf(id, one.user, dice), budget };
    add({ ...ended, type: "settle", charged: isAbove ? null : charge }, !isAbove);
    if (way > 7) add({ ...ended, type: "reverse", atMs: setUpMs + 5_000 }, false);
  }
}

const daySeconds = 86_400;

/** Calls of several models, channels and hours, with and without what they cost the gateway. */
function logOf(requestId: string, user: number, dice: (below: number) => number): ChargedCallLog {
  const channels = [[5], [6], [6, 5]][dice(3)] ?? [];
  const costs = dice(3) > 0 ? { cost: dice(40), costVersion: 1 + dice(2) } : {};
  const marks = [`mark-${requestId}`];
  return chargedLog({
    requestId,
    createdAt: setUpMs / 1_000 + dice(3) * 3_600 + dice(60),
    userId: user,
    username: `user-${user}`,
    tokenId: user,
    tried: channels,
    modelName: ["gpt-4o", "m", "f"][dice(3)] ?? "",
    group: ["default", "half"][dice(2)] ?? "",
    isStream: dice(2) === 0,
    usage: { ...noUsage, input: dice(500), cacheRead: dice(90), output: dice(70) },
    ...costs,
    reportedCost: dice(4) === 0 ? "0.0012" : "",
    losses: dice(4) === 0 ? ["seed"] : [],
    effort: dice(4) === 0 ? "high" : "",
    interrupted: dice(8) === 0 ? "the upstream broke off" : "",
    ...(dice(4) === 0 ? { given: { keyMark: "key", marks } } : {}),
  });
}

function partsOf(id: string, user: number) {
  const at = Math.floor(setUpMs / 1_000);
  const start = at - (at % daySeconds);
  const window = { kind: "day", start, end: start + daySeconds, limit: 5_000 } as const;
  const budget = user === 3 ? { budget: { at, windows: [window] } } : {};
  return { id, userId: user, tokenId: user, tokenLimited: user === 1, ...budget };
}

/** Plays a history in batches of random size, and returns the tables that it leaves. */
async function play(
  dialect: Dialect,
  seed: number,
  history: readonly Step[],
  way: "direct" | "journal",
): Promise<unknown> {
  salts = 0;
  const books = await openTestBooks(dialect);
  for (const name of ["alice", "bob", "carol"]) {
    const user = await books.addUser(name, 9_000);
    await books.addToken(user, "laptop", user === 1 ? 6_000 : 0);
  }
  const dice = openDice(way === "direct" ? seed + 1_000 : seed + 2_000);
  if (way === "direct") {
    for (let from = 0; from < history.length;) {
      const some = nextSteps(history, from, 1 + dice(9));
      await books.apply(some);
      from += some.length;
    }
  } else await playJournal(books, history, dice);
  return await readTables(books.db);
}

async function playJournal(
  { db, apply }: TestBooks,
  history: readonly Step[],
  dice: (below: number) => number,
): Promise<void> {
  let last = 0;
  for (let from = 0; from < history.length;) {
    const isDecided = history[from]?.isDecided === true;
    const some = nextSteps(history, from, 1 + dice(7));
    from += some.length;
    if (isDecided) {
      last = await append(db, some);
      if (dice(3) === 0) await applyUpTo(db, last - dice(2));
    } else {
      const lends = some.every(({ type }) => type === "take");
      if (!lends) await applyUpTo(db, last);
      await apply(some);
    }
  }
  await applyUpTo(db, last);
}

/**
 * Returns the next operations of a history, up to `size` of the same kind: what can be refused has a
 * transaction of its own either way, because the rows of reversals come last in theirs.
 */
function nextSteps(history: readonly Step[], from: number, size: number): Operation[] {
  const steps = history.slice(from, from + size);
  const end = steps.findIndex(({ isDecided }) => isDecided !== steps[0]?.isDecided);
  return (end < 0 ? steps : steps.slice(0, end)).map(({ operation }) => operation);
}

async function readTables(db: Db): Promise<Record<string, unknown>> {
  const read: Record<string, unknown> = {};
  for (const { name: table } of await db.introspection.getTables()) {
    if (beside.has(table)) continue;
    const { rows } = await sql`select * from ${sql.table(table)}`.execute(db);
    read[table] = rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return read;
}
