import { describe, expect, test } from "bun:test";
import { findSeed, guards, seedsMax, withoutGuard } from "./mutate.ts";
import { eventsPerSeed, type Outcome, runSeed } from "./run-seed.ts";
import { policyOf } from "./world.ts";

const isLong = process.env["TOLLGATE_TEST_LONG"] === "1";

const seedCount = isLong ? 10_000 : 300;

/** Number of worlds in one test, small enough for a slow machine. */
const seedsPerTest = isLong ? 100 : 30;

/** Within this many seeds, one must fail because a guard was removed; `mutate.ts` allows 1,000. */
const mutantSeedMax = 50;

const longTestMs = 120_000;

describe("money stays right whatever happens to calls, processes and the store", () => {
  const outcomes: Outcome[] = [];
  for (let first = 1; first <= seedCount; first += seedsPerTest) {
    const last = Math.min(first + seedsPerTest - 1, seedCount);
    const name = `is never lost, made or granted twice: ${eventsPerSeed} events of seeds ${first} to ${last}`;
    test(
      name,
      () => {
        for (let seed = first; seed <= last; seed += 1) {
          const outcome = runSeed(seed);
          expect(outcome.failure).toBeNull();
          expect(outcome.events).toBe(eventsPerSeed);
          outcomes.push(outcome);
        }
      },
      longTestMs,
    );
  }

  test("every kind of event happened, in worlds of both databases", () => {
    for (const policy of ["exact", "whole"] as const) {
      const of = outcomes
        .filter(({ seed }) => policyOf(seed) === policy)
        .map(({ counts }) => counts);
      const total = of.reduce((sum, counts) => addCounts(sum, counts));
      // The worlds prove something only if every kind of event occurs often.
      for (const [happening, count] of Object.entries(total)) {
        // Nothing is taken back in a world, so a call that is refused for a debt ends the run.
        if (happening === "in-debt") continue;
        const isOfNodes = ofNodes.has(happening);
        const usual = rare.has(happening) ? of.length / 10 : of.length;
        const least = isOfNodes ? (policy === "exact" ? of.length / 10 : -1) : usual;
        expect([happening, count > least]).toEqual([happening, true]);
      }
    }
  });

  test("a seed gives the same run every time, and another seed another run", () => {
    const traces = [1, 2, 3, 4].map((seed) => runSeed(seed).trace);
    expect([1, 2, 3, 4].map((seed) => runSeed(seed).trace)).toEqual(traces);
    expect(new Set(traces).size).toBe(4);
  });

  test("a seed that is run by hand gives the same run", () => {
    const script = new URL("run-seed.ts", import.meta.url).pathname;
    const { stdout, exitCode } = Bun.spawnSync([process.execPath, script, "3"]);
    expect(JSON.parse(stdout.toString())).toEqual(runSeed(3));
    expect(exitCode).toBe(0);
  });
});

/** Kinds of events that occur only where nodes share a database, and not in every world. */
const ofNodes: ReadonlySet<string> = new Set([
  "fenced",
  "settled free",
  "thought dead",
  "trouble",
] satisfies (keyof Outcome["counts"])[]);

/** Kinds of events that need a process to die at the right moment. */
const rare: ReadonlySet<string> = new Set([
  "died with records",
  "recovered",
] satisfies (keyof Outcome["counts"])[]);

function addCounts(sum: Outcome["counts"], counts: Outcome["counts"]): Outcome["counts"] {
  const added = { ...sum };
  for (const [name, count] of Object.entries(counts)) {
    // Safe cast: both objects have the same keys.
    added[name as keyof Outcome["counts"]] += count;
  }
  return added;
}

describe("the removal of any guard of money is noticed", () => {
  test("each guard is a line of the present code", () => {
    const missing = guards.filter((guard) => withoutGuard(guard) === undefined);
    expect(missing).toEqual([]);
    expect(new Set(guards.map(({ name }) => name)).size).toBe(guards.length);
  });

  for (const guard of guards) {
    test(
      `without it: ${guard.name}`,
      async () => {
        const found = await findSeed(guard, guard.isRare ? seedsMax : mutantSeedMax);
        expect(found?.failure ?? "nothing went wrong").toStartWith("seed ");
      },
      longTestMs,
    );
  }
});
