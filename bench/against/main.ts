/**
 * Compares the product of this tree with that of another commit, which `scripts/bench.mjs` has
 * built. Both get the generator, demo upstream and cases of this tree; only the product differs.
 *
 * A pair is one sample of each product, one right after the other. Both products start afresh for
 * every pair, because two starts of the same program differ by some per cent. The order alternates
 * (A B, B A, …). nginx is measured too, to show the state of the machine. The exit code is 1 when
 * this tree is slower and 2 when nothing could be compared.
 *
 * `--case <name>`, as often as wanted, compares other loads than the usual; `--database postgres`
 * compares both on PostgreSQL; `--env NAME=value` is for the product of this tree alone.
 */

import { parseArgs } from "node:util";
import type { Dialect } from "@tollgate/server/src/db/dialect.ts";
import type { Build } from "@tollgate/server/test/gateway.ts";
import { commitOf } from "#bench/about.ts";
import { checkLedger } from "#bench/check-ledger.ts";
import { type Case, cases, warmUpCase } from "#bench/cases.ts";
import {
  type CasePair,
  type Comparison,
  isSlower,
  type PairResult,
  writeComparison,
} from "./comparison.ts";
import { type Contender, namedProduct, nginxContender } from "#bench/contenders.ts";
import { rssMiBOf } from "#bench/processes.ts";
import { startProduct } from "#bench/product.ts";
import type { Sample } from "#bench/result.ts";
import { type Repeats, takeQuietSample, takeSample } from "#bench/sample.ts";
import { closeSite, openSite, type Site, tell } from "#bench/site.ts";

type Plan = {
  readonly pairs: number;
  /** How many small calls each product answers before the first sample. */
  readonly warmUpCalls: number;
  /** Length of the warm-up load right before each sample. */
  readonly leadMs: number;
  readonly sampleMs: number;
  /** How many disturbed samples may be taken again in the whole run. */
  readonly repeatsMax: number;
  /** Pause after the last sample of a pair, before memory is read. */
  readonly restMs: number;
};

const full: Plan = {
  pairs: 9,
  warmUpCalls: 60_000,
  leadMs: 1_000,
  sampleMs: 3_000,
  repeatsMax: 60,
  restMs: 3_000,
};

const quick: Plan = {
  pairs: 5,
  warmUpCalls: 20_000,
  leadMs: 300,
  sampleMs: 1_500,
  repeatsMax: 15,
  restMs: 1_000,
};

/** The cases that are compared unless the command line names others. */
const usualCases = ["small-64", "paced-64", "large-first"];
const warmUpMaxMs = 600_000;
const memoryEveryMs = 250;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      against: { type: "string", default: "" },
      case: { type: "string", multiple: true, default: usualCases },
      database: { type: "string", default: "sqlite" },
      env: { type: "string", multiple: true, default: [] },
      limit: { type: "string", default: "5" },
      nginx: { type: "string", default: "" },
      "other-build": { type: "string", default: "" },
      pairs: { type: "string" },
      quick: { type: "boolean", default: false },
    },
  });
  const extent = values.quick ? quick : full;
  const plan = { ...extent, pairs: wholeNumber("--pairs", values.pairs ?? `${extent.pairs}`) };
  const limit = wholeNumber("--limit", values.limit) / 100;
  const build: Build = { command: [values["other-build"]] };
  const dialect = values.database === "postgres" ? "postgres" : "sqlite";
  const compared = casesOf(values.case);
  const env = Object.fromEntries(values.env.map((text) => text.split(/=(.*)/s, 2)));
  const site = await openSite(values.nginx);
  const repeats = { repeated: 0, disturbed: 0 };
  const pairs: PairResult[] = [];
  for (let index = 0; index < plan.pairs; index += 1) {
    const bench = { site, plan, repeats, dialect, compared, env } as const;
    pairs.push(await measurePair(bench, build, index % 2 === 0));
    tell(`pair ${index + 1} of ${plan.pairs}: done, ${repeats.repeated} samples repeated so far`);
  }
  await closeSite(site);
  const { warmUpCalls, sampleMs } = plan;
  const comparison: Comparison = {
    ours: commitOf(),
    theirs: values.against,
    limit,
    titles: compared,
    pairs,
    repeats,
    warmUpCalls,
    sampleMs,
  };
  process.stdout.write(`\n${writeComparison(comparison)}\n`);
  return isSlower(comparison) ? 1 : 0;
}

function casesOf(names: readonly string[]): Case[] {
  return names.map((name) => {
    const found = cases.find((one) => one.name === name && one.tls !== true);
    if (found !== undefined) return found;
    throw new Error(
      `There is no case ${name}. There are: ${cases.map((one) => one.name).join(", ")}.`,
    );
  });
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new Error(`${name} wants a whole number from 1 to 999, not ${text}.`);
}

type Bench = {
  readonly site: Site;
  readonly plan: Plan;
  readonly repeats: Repeats;
  readonly dialect: Dialect;
  readonly compared: readonly Case[];
  /** Environment of the product of this tree alone. */
  readonly env: Readonly<Record<string, string>>;
};

/** Starts both products, takes a sample of every case on each, and ends them. */
async function measurePair(bench: Bench, build: Build, oursFirst: boolean): Promise<PairResult> {
  const { site, plan, dialect, env } = bench;
  const ours = await startProduct(site.demo.url, { dialect, env });
  const theirs = await startProduct(site.demo.url, { build, dialect });
  const products = [namedProduct("ours", ours), namedProduct("theirs", theirs)] as const;
  const turns = oursFirst ? products : products.toReversed();
  const highest = { ours: 0, theirs: 0 };
  const watching = setInterval(() => {
    highest.ours = Math.max(highest.ours, rssMiBOf([ours.gateway.pid]));
    highest.theirs = Math.max(highest.theirs, rssMiBOf([theirs.gateway.pid]));
  }, memoryEveryMs);
  for (const contender of turns) {
    const limit = { durationMs: warmUpMaxMs, callsMax: plan.warmUpCalls };
    await takeSample(site.generator, warmUpCase, contender, limit);
  }
  const samples: CasePair[] = [];
  for (const one of bench.compared) samples.push(await measureCase(bench, one, turns));
  clearInterval(watching);
  await Bun.sleep(plan.restMs);
  const memory = {
    ours: rssMiBOf([ours.gateway.pid]),
    theirs: rssMiBOf([theirs.gateway.pid]),
  };
  await checkLedger(ours, "this tree");
  await checkLedger(theirs, "the other commit");
  return { samples, memory, highest };
}

async function measureCase(
  { site: { generator, nginx }, plan, repeats }: Bench,
  one: Case,
  products: readonly Contender<"ours" | "theirs">[],
): Promise<CasePair> {
  const sample = async (contender: Contender): Promise<Sample> => {
    const take = async (): Promise<Sample> => {
      // Warms the product up again without counting it: it was idle while the other product was
      // measured.
      await takeSample(generator, one, contender, { durationMs: plan.leadMs });
      return await takeSample(generator, one, contender, { durationMs: plan.sampleMs });
    };
    return await takeQuietSample(take, repeats, plan.repeatsMax);
  };
  const nginxSample = nginx === null ? null : await sample(nginxContender(nginx));
  const taken: Partial<Record<"ours" | "theirs", Sample>> = {};
  for (const contender of products) taken[contender.name] = await sample(contender);
  const { ours, theirs } = taken;
  if (ours === undefined || theirs === undefined) throw new Error("a pair has two samples");
  return { case: one.name, ours, theirs, nginx: nginxSample };
}

try {
  process.exit(await main());
} catch (error) {
  tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(2);
}
