import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { Db } from "#db/database.ts";
import { closeTestBooks, openTestBooks } from "#modules/ledger/testing/books.ts";
import { inMutant, withoutGuard } from "#test/simulation/mutate.ts";
import { modelGuards, type SearchGuard, sqlGuards } from "./guards.ts";
import { type Found, type Plan, search } from "./search.ts";
import { inPostgres } from "./store.ts";

const isLong = process.env["TOLLGATE_TEST_LONG"] === "1";

/** Two calls have more states than a short run can try, and PostgreSQL is slower than the model. */
const statesOfTwoMax = isLong ? Number.POSITIVE_INFINITY : 10_000;
const statesInSqlMax = isLong ? Number.POSITIVE_INFINITY : 300;

/** Within so many states the removal of a guard must show. */
const mutantStatesMax = 30_000;

const testMaxMs = isLong ? 7_200_000 : 240_000;

const one: Plan = { calls: 1, wealth: 2, want: 1, cost: 1 };

/**
 * Two calls: with quota for both, for one, and for one and a half of those that the books judge; and
 * where a node tells the second only when its books have the first.
 */
const plansOfTwo: readonly Plan[] = [
  { ...one, calls: 2 },
  { ...one, calls: 2, wealth: 1 },
  { ...one, calls: 2, wealth: 3, cost: 2 },
  { ...one, calls: 2, unapplied: 1 },
];

afterEach(closeTestBooks);

test(
  "a call is told, charged and interrupted as it should, in whatever order things happen to two nodes",
  async () => {
    const found = await search(one, Number.POSITIVE_INFINITY);
    expect(found.flaw).toBeNull();
    expect(found.ends).toBeGreaterThan(100);
    for (const plan of plansOfTwo) expect((await search(plan, statesOfTwoMax)).flaw).toBeNull();
  },
  testMaxMs,
);

test(
  "so it is with the statements of the product on PostgreSQL",
  async () => {
    const found = await search(one, statesInSqlMax, inPostgres(await openUser()));
    expect(found.flaw).toBeNull();
    expect(found.ends).toBeGreaterThan(10);
  },
  testMaxMs,
);

for (const guard of modelGuards) {
  test(
    `the search finds that it is missing: ${guard.name}`,
    async () => {
      expect(await searchWithout(guard)).not.toBeNull();
    },
    testMaxMs,
  );
}

for (const guard of sqlGuards) {
  test(
    `the search finds on PostgreSQL that it is missing: ${guard.name}`,
    async () => {
      expect(await searchWithout(guard, await openUser())).not.toBeNull();
    },
    testMaxMs,
  );
}

/** Returns a database that has one user, who has nothing. */
async function openUser(): Promise<Db> {
  const books = await openTestBooks("postgres");
  await books.addUser("alice", 0);
  return books.db;
}

/** Searches without a guard, on a database or over the simulated store. */
async function searchWithout(guard: SearchGuard, db?: Db): Promise<Found["flaw"]> {
  expect(withoutGuard(guard)).toBeDefined();
  return await inMutant(guard, async (folder) => {
    // Safe casts: the copy has the same types as the modules imported here.
    const mutant = (await import(join(folder, "search/search.ts"))) as {
      readonly search: typeof search;
    };
    const stores = (await import(join(folder, "search/store.ts"))) as {
      readonly inPostgres: typeof inPostgres;
    };
    const within = db === undefined ? [] : ([stores.inPostgres(db)] as const);
    return (await mutant.search(guard.plan, mutantStatesMax, ...within)).flaw;
  });
}
