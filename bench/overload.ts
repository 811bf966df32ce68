/**
 * Measures promise P-L1: ten times as many calls as the product can answer, sent on schedule
 * whether or not earlier ones are answered. `bun bench/overload.ts --seconds 60` measures how many
 * calls the product can answer, sends ten times that, and prints what became of those calls, of the
 * health endpoint, and of calls five seconds later: one JSON object on standard output.
 */

import { parseArgs } from "node:util";
import { startDemo } from "@tollgate/server/test/proof/demo-process.ts";
import { checkLedger } from "./check-ledger.ts";
import { proofOf, requestOf, scripts, smallBody } from "./cases.ts";
import type { LoadJob, LoadResult } from "#bench/load/load-job.ts";
import { openGenerator } from "#bench/load/open-generator.ts";
import { type Product, removeLeftovers, startProduct } from "./product.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });

/** One call in flight per connection; further calls that are due wait in the generator. */
const connections = 1_000;
const overloadFactor = 10;
/** Normal load, as a share of the rate of calls that the product can answer. */
const ordinary = 0.7;
/** As many calls as the benchmark makes before its first sample. */
const warmUpCalls = 50_000;
const warmUpMaxMs = 120_000;
const measureMs = 10_000;
const recoverMs = 5_000;
const healthEveryMs = 100;

removeLeftovers();
const demo = await startDemo();
for (const [model, script] of Object.entries(scripts)) await demo.script(model, script);
const product = await startProduct(demo.url);
const generator = openGenerator();

async function offer(load: Partial<LoadJob>): Promise<LoadResult> {
  const result = await generator.run({
    port: product.port,
    request: requestOf(smallBody, product.spender.key),
    connections,
    durationMs: measureMs,
    callsMax: 0,
    callsPerSecond: 0,
    mustContain: proofOf({ stream: false }),
    mayShed: true,
    ...load,
  });
  product.count(result.calls);
  return result;
}

const rate = ({ calls, elapsedMs }: LoadResult): number => Math.round((calls * 1_000) / elapsedMs);

await offer({ connections: 64, callsMax: warmUpCalls, durationMs: warmUpMaxMs });
const capacity = rate(await offer({ connections: 64 }));
const before = await offer({ callsPerSecond: capacity * ordinary });
const health = watchHealth(product);
const overload = await offer({
  callsPerSecond: capacity * overloadFactor,
  durationMs: Number(values.seconds) * 1_000,
});
const healthMs = await health.stop();
await Bun.sleep(recoverMs);
const after = await offer({ callsPerSecond: capacity * ordinary });
const ledger = await checkLedger(product, "overload");
await Promise.all([generator.stop(), demo.stop()]);

/** P-L1, as far as a run can show it. */
const p99Growth = overload.latency.p99Ms / before.latency.p99Ms;
const promise = {
  p99Growth: { measured: p99Growth, most: 2, met: p99Growth <= 2 },
  goodput: {
    measured: rate(overload) / capacity,
    least: 0.9,
    met: rate(overload) / capacity >= 0.9,
  },
  healthP99Ms: { measured: healthMs, most: 50, met: healthMs <= 50 },
};

const told = {
  promise,
  capacity,
  ordinary: { p99Ms: before.latency.p99Ms, failed: before.failed },
  overload: {
    answered: overload.calls,
    goodput: rate(overload) / capacity,
    p99Ms: overload.latency.p99Ms,
    shed: overload.shed,
    shedP99Ms: overload.shedLatency.p99Ms,
    failed: overload.failed,
    reason: overload.reason,
    healthP99Ms: healthMs,
  },
  after: { p99Ms: after.latency.p99Ms, shed: after.shed, failed: after.failed },
  ledger,
};
process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
process.exit(0);

/** Polls the health endpoint. `stop` returns the p99 of its answers in milliseconds. */
function watchHealth({ port }: Product): { stop(): Promise<number> } {
  const times: number[] = [];
  let running = true;
  const done = (async () => {
    while (running) {
      const from = performance.now();
      await (await fetch(`http://127.0.0.1:${port}/healthz`)).text();
      times.push(performance.now() - from);
      await Bun.sleep(healthEveryMs);
    }
  })();
  return {
    async stop() {
      running = false;
      await done;
      return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
    },
  };
}
