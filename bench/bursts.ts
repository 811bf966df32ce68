/**
 * Measures how bursts of expensive requests slow down everything else. `bun bench/bursts.ts
 * --rounds 5` sends calls at a steady rate, alternately alone and together with 300 simultaneous
 * sign-ins. It also polls `/healthz`, alternately alone and together with four clients that send
 * bodies of 3 MB. Both sides of a comparison come from one run on one machine. It prints one JSON
 * object on standard output.
 */

import { parseArgs } from "node:util";
import { startDemo } from "@tollgate/server/test/proof/demo-process.ts";
import { checkLedger } from "./check-ledger.ts";
import { proofOf, requestOf, scripts, smallBody } from "./cases.ts";
import type { LoadJob, LoadResult } from "#bench/load/load-job.ts";
import { openGenerator } from "#bench/load/open-generator.ts";
import { removeLeftovers, startProduct } from "./product.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });

const signIns = 300;
/** Far below the rate that two cores carry, so that only the burst can delay a call. */
const callsPerSecond = 200;
const roundMs = 4_000;
const senders = 4;
const largeBytes = 3_000_000;
const healthEveryMs = 20;

/**
 * Targets: a burst may raise the p99 latency of calls by this share, and `/healthz` must answer
 * within this time while large bodies arrive.
 */
const p99GrowthMax = 0.2;
const healthMaxMs = 100;

removeLeftovers();
const demo = await startDemo();
for (const [model, script] of Object.entries(scripts)) await demo.script(model, script);
// The product takes the client's address from a header of local clients. Each sign-in names another
// address there, because the product limits the attempts of one address.
const env = { TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" };
const product = await startProduct(demo.url, undefined, env);
const { origin } = product.gateway;
const generator = openGenerator();
const { key } = product.spender;

async function offer(load: Partial<LoadJob>): Promise<LoadResult> {
  const result = await generator.run({
    port: product.port,
    request: requestOf(smallBody, key),
    connections: 32,
    durationMs: roundMs,
    callsMax: 0,
    callsPerSecond,
    mustContain: proofOf({ stream: false }),
    ...load,
  });
  product.count(result.calls);
  return result;
}

/**
 * Sends 300 sign-ins at the same time, as users who do not exist: that costs the product as much as
 * a wrong password.
 */
async function burst(round: number): Promise<Readonly<Record<number, number>>> {
  const statuses: Record<number, number> = {};
  const one = async (index: number): Promise<void> => {
    const response = await fetch(`${origin}/api/user/login`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-forwarded-for": `10.${round % 256}.${index >> 8}.${index & 255}`,
      },
      body: JSON.stringify({ username: `nobody-${round}-${index}`, password: "not a password" }),
    });
    await response.text();
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: signIns }, async (_, index) => await one(index)));
  return statuses;
}

/**
 * Returns the longest time, in milliseconds, that the health endpoint takes to answer while `work`
 * runs.
 */
async function healthBeside(work: Promise<unknown>): Promise<number> {
  let running = true;
  let longest = 0;
  const done = work.finally(() => (running = false));
  while (running) {
    const from = performance.now();
    await (await fetch(`${origin}/healthz`)).text();
    longest = Math.max(longest, performance.now() - from);
    await Bun.sleep(healthEveryMs);
  }
  await done;
  return longest;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const largeBody = JSON.stringify({
  ...JSON.parse(smallBody),
  messages: [{ role: "user", content: "many words ".repeat(largeBytes / 11) }],
});

await offer({});
const rounds = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  const alone = await offer({});
  const [beside, statuses] = await Promise.all([offer({}), burst(round)]);
  const quietMs = await healthBeside(Bun.sleep(roundMs));
  const large = { request: requestOf(largeBody, key), connections: senders, callsPerSecond: 0 };
  const busyMs = await healthBeside(offer(large));
  rounds.push({
    p99Ms: { alone: alone.latency.p99Ms, beside: beside.latency.p99Ms },
    failed: alone.failed + beside.failed,
    signIns: statuses,
    healthMs: { alone: quietMs, beside: busyMs },
  });
}
const growth = median(rounds.map(({ p99Ms }) => p99Ms.beside / p99Ms.alone)) - 1;
const healthMs = median(rounds.map((round) => round.healthMs.beside));
const ledger = await checkLedger(product, "bursts");
await Promise.all([generator.stop(), demo.stop()]);

const told = {
  rounds,
  p99Growth: { median: growth, most: p99GrowthMax, met: growth <= p99GrowthMax },
  healthBesideSenders: { medianMs: healthMs, mostMs: healthMaxMs, met: healthMs <= healthMaxMs },
  ledger,
};
process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
process.exit(0);
