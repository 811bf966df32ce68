/**
 * The benchmark: the same calls straight to the upstream, through nginx, and through the whole
 * product. Started by `scripts/bench.mjs`, which builds the product and finds nginx.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import type { Dialect } from "@tollgate/server/src/db/dialect.ts";
import { readAbout } from "./about.ts";
import { checkLedger } from "./check-ledger.ts";
import { type Case, cases, partNames } from "./cases.ts";
import { drawChart } from "./chart.ts";
import { directContender, nginxContender, productContender } from "./contenders.ts";
import { measureLogs } from "#bench/logs/reads.ts";
import { measureMemory } from "./memory.ts";
import { startProduct } from "./product.ts";
import { replaceLog } from "#bench/logs/report.ts";
import { writeReport } from "./report.ts";
import type { LedgerResult, CaseResult, LogResult, MemoryResult, Result } from "./result.ts";
import type { StallResult } from "./result.ts";
import { type Extent, runCase, warmUp } from "./rounds.ts";
import { closeSite, openSite, portOf, type Site, tell } from "./site.ts";
import { measureStall } from "./stall.ts";
import { formatMarkdown } from "./table.ts";

type Plan = Extent & {
  readonly name: string;
  /**
   * How many calls the product answers before anything is measured. The runtime compiles what runs
   * often, so a young process says little about a gateway: a call costs half more at the beginning,
   * and no less after some 50,000.
   */
  readonly warmUpCalls: number;
  readonly cases: readonly Case[];
  readonly memory: { readonly calls: number; readonly restMs: number } | null;
  readonly stallMs: number;
  /** Rows of the long log; 0: it is not measured. */
  readonly logRows: number;
};

const full: Plan = {
  name: "full",
  warmUpCalls: 60_000,
  rounds: 5,
  sampleMs: 2_000,
  warmUpMs: 1_000,
  repeatsMax: 6,
  cases,
  memory: { calls: 200_000, restMs: 10_000 },
  stallMs: 10_000,
  logRows: 10_000_000,
};

const quick: Plan = {
  name: "quick",
  warmUpCalls: 20_000,
  rounds: 5,
  sampleMs: 500,
  warmUpMs: 500,
  repeatsMax: 2,
  cases,
  memory: { calls: 20_000, restMs: 2_000 },
  stallMs: 3_000,
  logRows: 0,
};

const root = join(import.meta.dir, "..");

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      case: { type: "string", multiple: true, default: [] },
      nginx: { type: "string", default: "" },
      database: { type: "string", default: "sqlite" },
      rows: { type: "string", default: String(full.logRows) },
    },
  });
  const logRows = Number(values.rows);
  const plan = choose(values.quick ? quick : full, values.case, logRows);
  const site = await openSite(values.nginx);
  const dialect = values.database === "postgres" ? "postgres" : "sqlite";
  const result = await measure(site, plan, dialect);
  await closeSite(site);
  // Only a full run of all parts may replace the published report in `docs`.
  if (plan.name === full.name) write(result, "docs");
  else if (isLongLog(plan)) writeLog(result);
  else write(result, "data/bench");
}

/**
 * Reduces a plan to the parts that the command line names.
 * @param wanted names of parts; none: all parts of the plan.
 */
function choose(plan: Plan, wanted: readonly string[], logRows: number): Plan {
  if (wanted.length === 0) return plan.logRows === 0 ? plan : { ...plan, logRows };
  const unknown = wanted.find((name) => !partNames.includes(name));
  if (unknown !== undefined) {
    tell(`There is no case ${unknown}. There are: ${partNames.join(", ")}.`);
    process.exit(2);
  }
  return {
    ...plan,
    name: `${plan.name}, ${wanted.join(" and ")} only`,
    cases: plan.cases.filter(({ name }) => wanted.includes(name)),
    memory: wanted.includes("memory") ? plan.memory : null,
    stallMs: wanted.includes("stall") ? plan.stallMs : 0,
    logRows: wanted.includes("logs") ? logRows : 0,
  };
}

/** @param dialect the database of the long log; the loads are measured on SQLite. */
async function measure(site: Site, plan: Plan, dialect: Dialect): Promise<Result> {
  const ledgers: LedgerResult[] = [];
  const about = readAbout(plan.name, plan, site.nginx?.version ?? null);
  const loads = await measureLoads(site, plan, ledgers);
  const memory = plan.memory === null ? null : await withMemory(site, plan.memory, ledgers);
  const long = plan.logRows === 0 ? null : await withLog(site, plan.logRows, dialect);
  const log = long?.log ?? null;
  return { about, ...loads, memory, log, logLedger: long?.ledger ?? null, ledgers };
}

/** Measures all loads on one product, so that each meets a process that has run for a while. */
async function measureLoads(
  { demo, nginx, tls, generator, prober }: Site,
  plan: Plan,
  ledgers: LedgerResult[],
): Promise<{ cases: CaseResult[]; stall: StallResult | null }> {
  if (plan.cases.length === 0 && plan.stallMs === 0) return { cases: [], stall: null };
  const product = await startProduct(demo.url, { tls });
  const ours = productContender(product);
  const theirs = nginx === null ? null : nginxContender(nginx);
  const direct = directContender(portOf(demo.url));
  const contenders = [direct, ...(theirs === null ? [] : [theirs]), ours];
  const bench = { contenders, generator, extent: plan, tell };
  const results: CaseResult[] = [];
  await warmUp(bench, ours, plan.warmUpCalls);
  for (const one of plan.cases) {
    if (one.tls !== true) results.push(await runCase(bench, one));
    // The generator cannot call the upstream over TLS, so there is no figure without a proxy.
    else if (tls !== null) {
      const overTls = { ...bench, contenders: [nginxContender(tls.nginx), ours] };
      results.push(await runCase(overTls, one));
    }
  }
  const stallBench = { product: ours, nginx: theirs, caller: generator, prober };
  const stall =
    plan.stallMs === 0 ? null : await measureStall({ ...stallBench, durationMs: plan.stallMs });
  ledgers.push(await checkLedger(product, "cases"));
  return { cases: results, stall };
}

async function withMemory(
  { demo, generator }: Site,
  load: NonNullable<Plan["memory"]>,
  ledgers: LedgerResult[],
): Promise<MemoryResult> {
  const product = await startProduct(demo.url);
  const memory = await measureMemory(product, generator, load);
  tell("memory: done");
  ledgers.push(await checkLedger(product, "memory"));
  return memory;
}

async function withLog(
  { demo, generator }: Site,
  rows: number,
  dialect: Dialect,
): Promise<{ log: LogResult | null; ledger: LedgerResult }> {
  const started = await startProduct(demo.url, { dialect });
  const bench = { product: started, generator, rows, tell, upstreamUrl: demo.url };
  const { result, product } = await measureLogs(bench);
  return { log: result, ledger: await checkLedger(product, "a long log") };
}

/** A shorter log says little, so its figures are not published. */
const publishedRowsMin = 1_000_000;

/** Whether a plan measures nothing but a log that is long enough for the published report. */
function isLongLog({ cases: chosen, logRows, memory, stallMs }: Plan): boolean {
  return chosen.length === 0 && memory === null && stallMs === 0 && logRows >= publishedRowsMin;
}

/** Replaces the section of one database in the published report. */
function writeLog(result: Result): void {
  const file = join(root, "docs/performance.md");
  writeFileSync(file, replaceLog(readFileSync(file, "utf8"), result));
  formatMarkdown(file);
  tell("Written to docs/performance.md");
}

function write(result: Result, folder: string): void {
  const file = join(root, folder, "performance.md");
  const picture = join(root, folder, "performance.svg");
  mkdirSync(join(root, folder), { recursive: true });
  const svg = drawChart(result);
  if (svg !== null) writeFileSync(picture, svg);
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const report = writeReport(result, svg === null ? null : basename(picture), before);
  writeFileSync(file, report);
  formatMarkdown(file);
  process.stdout.write(`\n${report}\n`);
  tell(`Written to ${folder}/performance.md and ${folder}/performance.svg`);
}

try {
  await main();
  process.exit(0);
} catch (error) {
  tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
}
