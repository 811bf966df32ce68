/**
 * Mutation run: removes each guard in turn and prints the first seed whose simulation fails without
 * it: `bun server/test/simulation/mutate.ts [part of a name]`. Exits with 1 when some guard's
 * removal is never noticed.
 */

import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { budgetGuards } from "./budget-guards.ts";
import { journalGuards } from "./journal-guards.ts";
import { rerateGuards } from "./rerate-guards.ts";
import { type Guard, memoryGuards } from "./memory-guards.ts";
import type { runSeed } from "./run-seed.ts";
import { storeGuards } from "./store-guards.ts";
import { policyOf } from "./world.ts";

/**
 * Each guard's text occurs in the code exactly once, and the simulation must notice its removal.
 */
export const guards: readonly Guard[] = [
  ...budgetGuards,
  ...journalGuards,
  ...rerateGuards,
  ...memoryGuards,
  ...storeGuards,
];

/** The number of seeds to try: without the guard, the simulation must fail on at least one. */
export const seedsMax = 1_000;

const server = new URL("../..", import.meta.url).pathname;

/** The files that a copy of the simulation has of its own; in one of them a guard is removed. */
const copied = ["package.json", "src/base", "src/modules/ledger", "test/simulation"];

/** The folders of which a copy has the rest from this tree. */
const linked = ["src", "src/modules"];

/**
 * Returns the text of the guard's file without the guard; undefined if the guard does not occur in
 * it exactly once.
 */
export function withoutGuard({ file, from, to }: Guard): string | undefined {
  const parts = readFileSync(join(server, file), "utf8").split(from);
  return parts.length === 2 ? parts.join(to) : undefined;
}

/**
 * Finds the first of the guard's next `most` seeds whose simulation fails once `guard` is removed;
 * null: none does.
 */
export async function findSeed(
  guard: Guard,
  most: number,
): Promise<{ readonly seed: number; readonly failure: string } | null> {
  return await inMutant(guard, async (folder) => {
    // Safe cast: the copy has the same types as the module imported here.
    const mutant = (await import(join(folder, "run-seed.ts"))) as {
      readonly runSeed: typeof runSeed;
    };
    const first = guard.firstSeed ?? 1;
    for (let seed = first; seed < first + most; seed += 1) {
      if (guard.policy !== undefined && guard.policy !== policyOf(seed)) continue;
      const { failure } = mutant.runSeed(seed);
      if (failure !== null) return { seed, failure };
    }
    return null;
  });
}

/** Runs something in a copy of the simulation, in whose files `guard` is removed. */
export async function inMutant<Result>(
  guard: Guard,
  run: (folder: string) => Promise<Result>,
): Promise<Result> {
  const text = withoutGuard(guard);
  if (text === undefined) throw new Error(`"${guard.name}" does not stand in ${guard.file} once`);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-mutant-"));
  try {
    for (const path of copied) cpSync(join(server, path), join(folder, path), { recursive: true });
    for (const path of linked) linkRest(join(server, path), join(folder, path));
    // The copy has no packages of its own, so it uses those of this tree.
    symlinkSync(join(server, "../node_modules"), join(folder, "node_modules"), "dir");
    writeFileSync(join(folder, guard.file), text);
    return await run(join(folder, "test/simulation"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Links from `from` into `to` what `to` has not. */
function linkRest(from: string, to: string): void {
  for (const { name } of readdirSync(from, { withFileTypes: true })) {
    if (!existsSync(join(to, name))) symlinkSync(join(from, name), join(to, name));
  }
}

if (import.meta.main) {
  const part = process.argv[2] ?? "";
  let hidden = 0;
  for (const guard of guards.filter(({ name }) => name.includes(part))) {
    const found = await findSeed(guard, seedsMax);
    if (found === null) hidden += 1;
    const told = found === null ? `NOT FOUND OUT in ${seedsMax} seeds` : found.failure;
    process.stdout.write(`${guard.name}: ${told.split("\n", 1)[0]}\n`);
  }
  process.exitCode = hidden === 0 ? 0 : 1;
}
