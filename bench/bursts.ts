/**
 * Measures how bursts of expensive requests slow down everything else. `bun bench/bursts.ts
 * --rounds 5` sends calls at a steady rate, in turn alone, together with 300 simultaneous sign-ins,
 * and, as controls, together with 300 sign-ins that are refused before hashing and with a program
 * that only computes, at the priority of the hashing processes. It also polls `/healthz`,
 * alternately alone and together with four clients that send bodies of 3 MB. All sides of a
 * comparison come from one run on one machine. It prints one JSON object on standard output.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { startDemo } from "@tollgate/server/test/proof/demo-process.ts";
import { checkLedger } from "./check-ledger.ts";
import { proofOf, requestOf, scripts, smallBody } from "./cases.ts";
import type { LoadJob, LoadResult } from "#bench/load/load-job.ts";
import { openGenerator } from "#bench/load/open-generator.ts";
import type { BurstKind } from "#bench/load/sign-in-burst.ts";
import { watchOthers } from "./processes.ts";
import { removeLeftovers, startProduct } from "./product.ts";
import { latencyOf } from "./statistics.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });

/** Far below the rate that two cores carry, so that only the burst can delay a call. */
const callsPerSecond = 200;
/**
 * Longer than the sign-ins of one burst are answered. In a shorter time, the p99 says nothing but
 * how busy the two cores are while 300 connections are opened.
 */
const roundMs = 8_000;
/** Time between two loads, in which connections that are still closing may end. */
const restMs = 2_000;
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
const product = await startProduct(demo.url, { env });
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
    keepsAll: true,
    ...load,
  });
  product.count(result.calls);
  return result;
}

/** Runs a program beside the calls. Returns what it printed. */
async function run(...args: readonly string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, "--no-env-file", ...args], { stderr: "inherit" });
  return await new Response(child.stdout).text();
}

async function burst(kind: BurstKind, round: number): Promise<unknown> {
  const client = join(import.meta.dir, "load/sign-in-burst.ts");
  return JSON.parse(await run(client, String(product.port), String(round), kind));
}

/** Keeps a core busy at the niceness of the hashing processes, and uses no memory. */
const computing = `
  require("node:os").setPriority(10);
  const end = performance.now() + ${roundMs};
  while (performance.now() < end);
`;

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

/** The p99 of the calls of all rounds together. Few calls of one round are slow by chance. */
const p99Of = (loads: readonly LoadResult[]): number =>
  latencyOf(loads.flatMap(({ allMs }) => [...allMs])).p99Ms;

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const largeBody = JSON.stringify({
  ...JSON.parse(smallBody),
  messages: [{ role: "user", content: "many words ".repeat(largeBytes / 11) }],
});

async function measureRound(round: number) {
  const others = watchOthers();
  const alone = await offer({});
  const [beside, signIns] = await Promise.all([offer({}), burst("hashed", round)]);
  await Bun.sleep(restMs);
  const [besideUnhashed] = await Promise.all([offer({}), burst("unhashed", round)]);
  const [besideComputing] = await Promise.all([offer({}), run("-e", computing)]);
  const quietMs = await healthBeside(Bun.sleep(roundMs));
  const large = { request: requestOf(largeBody, key), connections: senders, callsPerSecond: 0 };
  const busyMs = await healthBeside(offer(large));
  return {
    loads: { alone, beside, besideUnhashed, besideComputing },
    p99Ms: {
      alone: alone.latency.p99Ms,
      beside: beside.latency.p99Ms,
      besideUnhashed: besideUnhashed.latency.p99Ms,
      besideComputing: besideComputing.latency.p99Ms,
    },
    failed: alone.failed + beside.failed + besideUnhashed.failed + besideComputing.failed,
    signIns,
    healthMs: { alone: quietMs, beside: busyMs },
    /** Cores that other programs of the machine used. */
    otherCores: others.otherCores(),
  };
}

await offer({});
const rounds: Awaited<ReturnType<typeof measureRound>>[] = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  rounds.push(await measureRound(round));
}
const pooledMs = (of: "alone" | "beside" | "besideComputing" | "besideUnhashed"): number =>
  p99Of(rounds.map(({ loads }) => loads[of]));
const growth = (of: "beside" | "besideComputing" | "besideUnhashed"): number =>
  pooledMs(of) / pooledMs("alone") - 1;
const healthMs = median(rounds.map((round) => round.healthMs.beside));
const ledger = await checkLedger(product, "bursts");
await Promise.all([generator.stop(), demo.stop()]);

const told = {
  rounds: rounds.map(({ loads: _, ...round }) => round),
  p99Growth: {
    aloneMs: pooledMs("alone"),
    pooled: growth("beside"),
    most: p99GrowthMax,
    met: growth("beside") <= p99GrowthMax,
    controls: { unhashed: growth("besideUnhashed"), computing: growth("besideComputing") },
  },
  healthBesideSenders: { medianMs: healthMs, mostMs: healthMaxMs, met: healthMs <= healthMaxMs },
  ledger,
};
process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
process.exit(0);
