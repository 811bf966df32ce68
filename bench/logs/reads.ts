/** Measures reads of a long log, and how they slow down the calls that run at the same time. */

import { statfsSync } from "node:fs";
import { proofOf, requestOf, smallBody } from "#bench/cases.ts";
import type { Latency } from "#bench/load/load-job.ts";
import type { Generator } from "#bench/load/open-generator.ts";
import { rssMiBOf } from "#bench/processes.ts";
import { addOffers, addPeople, modelName, tokenName, userName } from "./people.ts";
import { type Product, restartProduct, stopProduct } from "#bench/product.ts";
import type { LogCleaningResult, LogRead, LogResult } from "#bench/result.ts";
import { expectWhole } from "#bench/sample.ts";
import { dashboardRead } from "#bench/summary.ts";
import { type LogSize, seedLogs } from "./seed.ts";

/**
 * Rate of the calls beside the reads. Each adds a row to the log. Two cores can carry many more.
 */
const callsPerSecond = 200;
const connections = 64;
const quietMs = 10_000;
/** The reader begins no new list of reads after this time, but finishes the one it has begun. */
const readingMs = 40_000;
/** For how long calls are measured while old rows are removed. */
const cleaningMs = 20_000;
/** The product aborts a read that takes longer. */
const readMaxMs = 30_000;
/** Disk space of a log row, its ledger entry, their indexes and their part of the write-ahead log. */
const rowBytes = 2_000;

type LogBench = {
  readonly product: Product;
  readonly generator: Generator;
  /** How long the log is. */
  readonly rows: number;
  readonly tell: (line: string) => void;
  readonly upstreamUrl: string;
};

/**
 * Fills the log, and measures reads of it.
 * @returns the result, and the product, which was restarted; null: the disk has no room.
 */
export async function measureLogs(
  bench: LogBench,
): Promise<{ result: LogResult | null; product: Product }> {
  const { generator, rows, tell } = bench;
  let { product } = bench;
  const channelIds = await addOffers(product, bench.upstreamUrl);
  // Makes real calls first, because each seeded row is a copy of the row of a real call.
  await callFor(product, generator, 100);
  if (freeBytes(product.home.dataDir) < rows * rowBytes) {
    tell(`logs: the disk has no room for ${rows} rows`);
    return { result: null, product };
  }
  await stopProduct(product);
  const people = await addPeople(product, channelIds);
  const startMs = performance.now();
  const size = await seedLogs(product, { rows, people });
  product.count(rows);
  const seedSeconds = (performance.now() - startMs) / 1_000;
  tell(`logs: ${rows} rows, seeded in ${Math.round(seedSeconds)} s; ${JSON.stringify(size)}`);
  product = await restartProduct(product);
  const measured = await measureReads(product, generator);
  tell(JSON.stringify(measured));
  const cleaning = await measureCleaning(product, generator);
  tell(JSON.stringify(cleaning));
  const result = {
    ...size,
    database: product.home.dialect,
    rows,
    seedSeconds,
    ...measured,
    cleaning,
  };
  return { result, product };
}

/** Removes the oldest third of the log in the background, while calls run. */
async function measureCleaning(product: Product, generator: Generator): Promise<LogCleaningResult> {
  const before = Math.floor(Date.now() / 1_000) - 20 * 86_400;
  const startMs = performance.now();
  await product.root.call("POST", "/api/log/clean", { target_timestamp: before });
  const calls = await callFor(product, generator, cleaningMs);
  const read = async () =>
    await product.root.call<{ removed: number; state: string }>("GET", "/api/log/clean");
  const seconds = (performance.now() - startMs) / 1_000;
  const { removed } = await read();
  await product.root.call("POST", "/api/log/clean/stop", {});
  let last = await read();
  while (last.state === "running") {
    await Bun.sleep(100);
    last = await read();
  }
  product.count(-last.removed);
  return { rowsPerSecond: removed / seconds, calls };
}

async function measureReads(
  product: Product,
  generator: Generator,
): Promise<Omit<LogResult, "audit" | "cleaning" | "database" | "seedSeconds" | keyof LogSize>> {
  await callFor(product, generator, quietMs / 2);
  const quiet = await callFor(product, generator, quietMs);
  const [reading, reads] = await Promise.all([
    callFor(product, generator, readingMs),
    readFor(product, readingMs),
  ]);
  const restMiB = rssMiBOf([product.gateway.pid]);
  return { callsPerSecond, quiet, reading, reads, restMiB };
}

async function callFor(
  product: Product,
  generator: Generator,
  durationMs: number,
): Promise<Latency> {
  const load = await generator.run({
    port: product.port,
    request: requestOf(smallBody, product.spender.key),
    connections,
    durationMs,
    callsMax: 0,
    callsPerSecond,
    mustContain: proofOf({ stream: false }),
  });
  expectWhole(load, "calls beside a long log");
  product.count(load.calls);
  return load.latency;
}

type Read = { readonly what: string; readonly path: string };

/** Every filter, over the whole log, as a list and as a sum; one filter a read but the last ones. */
function readsOf({ channelIds }: Product): readonly Read[] {
  const daySeconds = 86_400;
  const now = Math.floor(Date.now() / 1_000);
  const filters = {
    "no filter": "",
    "one user": `&username=${userName(4_321)}`,
    "a token's name": `&token_name=${tokenName(4_321, 1)}`,
    "one channel": `&channel=${channelIds[0] ?? 0}`,
    "one model": `&model_name=${modelName(17)}`,
    "models of a prefix": "&model_name=bench-model-1%25",
    "a model nobody used": "&model_name=nobody",
    "one group": "&group=default",
    "charged calls": "&type=2",
    "failed calls": "&type=5",
    "ten days": `&start_timestamp=${now - 20 * daySeconds}&end_timestamp=${now - 10 * daySeconds}`,
    "channel and model": `&channel=${channelIds[1] ?? 0}&model_name=${modelName(3)}`,
  };
  const month = `start_timestamp=${now - 30 * daySeconds}&end_timestamp=${now}`;
  const ragged = `start_timestamp=${now - 25 * daySeconds - 5_000}&end_timestamp=${now - 9_000}`;
  const lists = Object.entries(filters).flatMap(([what, query]) => [
    { what: `list, ${what}`, path: `/api/log/?p=1&page_size=20${query}` },
    { what: `page 500, ${what}`, path: `/api/log/?p=500&page_size=20${query}` },
    { what: `sums, ${what}`, path: `/api/log/stat?x=1${query}` },
  ]);
  return [
    ...lists,
    { what: "channels and models, 30 days", path: `/api/data/channelUseData?${month}` },
    { what: "channels, 30 days", path: `/api/data/channelUseData?merge=true&${month}` },
    { what: "channels and models, odd ends", path: `/api/data/channelUseData?${ragged}` },
    { what: dashboardRead, path: `/api/dashboard/?granularity=day&${month}` },
  ];
}

/** Sends one read after the other, as a person at the console does, only faster. */
async function readFor(product: Product, durationMs: number): Promise<LogRead[]> {
  const endMs = performance.now() + durationMs;
  const reads = readsOf(product).map((read) => ({ ...read, timesMs: [] as number[] }));
  while (performance.now() < endMs) {
    for (const { path, timesMs } of reads) {
      if (performance.now() > endMs && timesMs.length > 0) continue;
      const startMs = performance.now();
      // The product refuses a read that takes too long; the time until the refusal then counts as
      // the read's duration.
      const answer = await product.root.send("GET", path);
      const elapsedMs = performance.now() - startMs;
      if (!answer.success && elapsedMs < readMaxMs) throw new Error(`${path}: ${answer.message}`);
      timesMs.push(elapsedMs);
    }
  }
  return reads.map(({ what, timesMs }) => {
    const sorted = timesMs.toSorted((a, b) => a - b);
    const p50Ms = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
    const p99Ms = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
    return { what, times: sorted.length, p50Ms, p99Ms, maxMs: sorted.at(-1) ?? 0 };
  });
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
