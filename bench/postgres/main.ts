/**
 * The benchmark on PostgreSQL: what a call costs, and how many statements and round trips it takes.
 * `npm run bench -- --database postgres` starts a server and runs it; the report goes to
 * `docs/postgresql-speed.md`.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readAbout } from "#bench/about.ts";
import { type Case, cases } from "#bench/cases.ts";
import { checkLedger } from "#bench/check-ledger.ts";
import { productContender } from "#bench/contenders.ts";
import { type PostgresCounter, startPostgresCounter } from "./counter.ts";
import { startProduct } from "#bench/product.ts";
import type { LedgerResult, Sample } from "#bench/result.ts";
import { type Extent, warmUp } from "#bench/rounds.ts";
import { takeQuietSample, takeSample } from "#bench/sample.ts";
import { closeSite, openSite, type Site, tell } from "#bench/site.ts";
import { median } from "#bench/statistics.ts";
import { fixed, formatMarkdown, table, whole } from "#bench/table.ts";

const { values } = parseArgs({
  options: {
    database: { type: "string" },
    quick: { type: "boolean", default: false },
    nginx: { type: "string" },
  },
});

const extent: Extent & { readonly warmUpCalls: number } = values.quick
  ? { rounds: 3, sampleMs: 1_000, warmUpMs: 500, warmUpCalls: 5_000, repeatsMax: 2 }
  : { rounds: 5, sampleMs: 2_000, warmUpMs: 1_000, warmUpCalls: 50_000, repeatsMax: 6 };

const measured = cases.filter(({ name }) => ["small-1", "small-8", "small-64"].includes(name));
const countedMs = 3_000;

type Row = {
  readonly one: Case;
  readonly samples: readonly Sample[];
  readonly statements: number;
  readonly roundTrips: number;
};

const root = join(import.meta.dir, "../..");
const site = await openSite("");
const ledgers: LedgerResult[] = [];
const costs = await measureCosts(site);
const counts = await countStatements(site);
await closeSite(site);
write(measured.map((one, index) => ({ one, samples: costs[index] ?? [], ...countsOf(index) })));
process.exit(0);

function countsOf(index: number): Pick<Row, "roundTrips" | "statements"> {
  return counts[index] ?? { statements: Number.NaN, roundTrips: Number.NaN };
}

async function measureCosts({ demo, generator }: Site): Promise<Sample[][]> {
  const product = await startProduct(demo.url, { dialect: "postgres" });
  const ours = productContender(product);
  const bench = { contenders: [], generator, extent, tell };
  await warmUp(bench, ours, extent.warmUpCalls);
  const results: Sample[][] = measured.map(() => []);
  const repeats = { repeated: 0, disturbed: 0 };
  for (let round = 0; round < extent.rounds; round += 1) {
    for (const [index, one] of measured.entries()) {
      const take = async (): Promise<Sample> =>
        await takeSample(generator, one, ours, { durationMs: extent.sampleMs });
      results[index]?.push(await takeQuietSample(take, repeats, extent.repeatsMax));
    }
  }
  ledgers.push(await checkLedger(product, "costs"));
  return results;
}

/** Counts in a run of its own, because the proxy that counts takes a core's time as well. */
async function countStatements({
  demo,
  generator,
}: Site): Promise<Pick<Row, "roundTrips" | "statements">[]> {
  const proxies: PostgresCounter[] = [];
  const product = await startProduct(demo.url, {
    dialect: "postgres",
    databaseUrl(url) {
      const proxy = startPostgresCounter(url);
      proxies.push(proxy);
      return proxy.url;
    },
  });
  const ours = productContender(product);
  const read = (): { statements: number; roundTrips: number } =>
    proxies[0]?.counts() ?? { statements: 0, roundTrips: 0 };
  const results: Pick<Row, "roundTrips" | "statements">[] = [];
  // What the product asks for by itself: heartbeats, and changes of the configuration.
  const idleBefore = read();
  await Bun.sleep(countedMs);
  const idle = { ms: countedMs, ...difference(read(), idleBefore) };
  for (const one of measured) {
    await takeSample(generator, one, ours, { durationMs: extent.warmUpMs });
    const before = read();
    const startMs = performance.now();
    const { calls } = await takeSample(generator, one, ours, { durationMs: countedMs });
    const share = (performance.now() - startMs) / idle.ms;
    const found = difference(read(), before);
    results.push({
      statements: (found.statements - idle.statements * share) / calls,
      roundTrips: (found.roundTrips - idle.roundTrips * share) / calls,
    });
  }
  ledgers.push(await checkLedger(product, "counts"));
  for (const proxy of proxies) proxy.stop();
  return results;
}

function difference(
  after: { statements: number; roundTrips: number },
  before: { statements: number; roundTrips: number },
): { statements: number; roundTrips: number } {
  return {
    statements: after.statements - before.statements,
    roundTrips: after.roundTrips - before.roundTrips,
  };
}

function write(rows: readonly Row[]): void {
  const middle = (samples: readonly Sample[], of: (sample: Sample) => number): number =>
    median(samples.map(of));
  const cells = rows.map(({ one, samples, statements, roundTrips }) => [
    one.title,
    whole(middle(samples, ({ cpuMicros }) => cpuMicros ?? Number.NaN)),
    whole(middle(samples, ({ callsPerSecond }) => callsPerSecond)),
    `${fixed(
      middle(samples, ({ latency }) => latency.p50Ms),
      1,
    )} / ${fixed(
      middle(samples, ({ latency }) => latency.p99Ms),
      1,
    )}`,
    fixed(statements, 1),
    fixed(roundTrips, 1),
  ]);
  const about = readAbout(values.quick ? "quick" : "full", extent, null);
  const text = `# Calls on PostgreSQL

Written by \`npm run bench -- --database postgres\` on ${about.date} at ${about.commit}: ${about.cores} cores, ${about.cpu}, ${about.kernel}, Bun ${about.bun}. The server, the upstream and the generator share the cores. CPU is that of Tollgate's process alone; medians of ${about.rounds} rounds of ${about.sampleMs / 1_000} s, after ${whole(extent.warmUpCalls)} calls. Statements and round trips are counted by a proxy, in a run of their own, in which every answer comes 2 ms late as from a server elsewhere: a round trip is a wait for an answer before more is sent.

${table(
  [
    "load",
    "CPU µs a call",
    "calls a second",
    "p50 / p99 ms",
    "statements a call",
    "round trips a call",
  ],
  cells,
)}

Before a call begins, its quota is reserved, and before its answer ends, its charge is committed: two transactions, of which each reads and locks in one round trip and writes and commits in another. Calls that come together share them.

${ledgers.map(({ load, rows: count, audit }) => `- ${load}: ${whole(count)} calls charged, ${audit}`).join("\n")}
`;
  const folder = values.quick ? "data/bench" : "docs";
  mkdirSync(join(root, folder), { recursive: true });
  const file = join(root, folder, "postgresql-speed.md");
  writeFileSync(file, text);
  formatMarkdown(file);
  process.stdout.write(`\n${text}\n`);
}
