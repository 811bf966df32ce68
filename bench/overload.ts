/**
 * P-L1: ten times the calls the product can answer, open-loop. `bun bench/overload.ts --seconds 60`
 * measures what it can answer, offers it ten times that, and tells what became of the calls, of the
 * health endpoint, and of calls five seconds later. One JSON object on standard output.
 */

import { parseArgs } from "node:util";
import { startDemo } from "@tollgate/server/test/proof/demo-process.ts";
import { closeBooks } from "./books.ts";
import { proofOf, requestOf, scripts, smallBody } from "./cases.ts";
import type { LoadJob, LoadResult } from "#bench/load/load-job.ts";
import { openGenerator } from "#bench/load/open-generator.ts";
import { type Product, removeLeftovers, startProduct } from "./product.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });

/** A call in flight each; more due than these carry is the generator's own queue. */
const connections = 1_000;
const overloadFactor = 10;
/** Share of what it can answer that counts as an ordinary day. */
const ordinary = 0.7;
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

await offer({ connections: 64 });
const capacity = rate(await offer({ connections: 64 }));
const before = await offer({ callsPerSecond: capacity * ordinary });
const health = watchHealth(product);
const rush = await offer({
  callsPerSecond: capacity * overloadFactor,
  durationMs: Number(values.seconds) * 1_000,
});
const healthMs = await health.stop();
await Bun.sleep(recoverMs);
const after = await offer({ callsPerSecond: capacity * ordinary });
const books = await closeBooks(product, "overload");
await Promise.all([generator.stop(), demo.stop()]);

const told = {
  capacity,
  ordinary: { p99Ms: before.latency.p99Ms, failed: before.failed },
  rush: {
    answered: rush.calls,
    goodput: rate(rush) / capacity,
    p99Ms: rush.latency.p99Ms,
    shed: rush.shed,
    shedP99Ms: rush.shedLatency.p99Ms,
    failed: rush.failed,
    reason: rush.reason,
    healthP99Ms: healthMs,
  },
  after: { p99Ms: after.latency.p99Ms, shed: after.shed, failed: after.failed },
  books,
};
process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
process.exit(0);

/** Asks the health endpoint all the time; 99 % of its answers came within so many milliseconds. */
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
