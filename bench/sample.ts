/** Runs one load on one contender and measures what it costs the contender. */

import { type Case, proofOf, requestOf } from "./cases.ts";
import type { Contender } from "./contenders.ts";
import type { LoadResult } from "#bench/load/load-job.ts";
import type { Generator } from "#bench/load/open-generator.ts";
import { cpuMsOf, watchOthers } from "./processes.ts";
import type { Sample } from "./result.ts";

/** A sample is disturbed when other programs used more than this many cores. */
const otherCoresMax = 0.12;
/** How many times one disturbed sample is taken again, at most. */
const sampleRepeatsMax = 3;

/** The load ends after this time or this number of calls, whichever comes first. */
type LoadLimit = { readonly durationMs: number; readonly callsMax?: number };

export async function takeSample(
  generator: Generator,
  one: Case,
  contender: Contender,
  { durationMs, callsMax = 0 }: LoadLimit,
): Promise<Sample> {
  const { pids } = contender;
  const others = watchOthers();
  const cpuBeforeMs = cpuMsOf(pids);
  const generatorBeforeMs = cpuMsOf([generator.pid]);
  const load = await generator.run({
    port: one.stream ? contender.streamPort : contender.port,
    request: requestOf(one.body, contender.key),
    connections: one.connections,
    durationMs,
    callsMax,
    callsPerSecond: 0,
    mustContain: proofOf(one),
  });
  const cpuMs = cpuMsOf(pids) - cpuBeforeMs;
  const generatorMs = cpuMsOf([generator.pid]) - generatorBeforeMs;
  const otherCores = others.otherCores();
  expectWhole(load, `${one.name} on ${contender.name}`);
  contender.count(load.calls);
  return {
    calls: load.calls,
    callsPerSecond: (load.calls / load.elapsedMs) * 1_000,
    cpuMicros: pids.length === 0 ? null : (cpuMs / load.calls) * 1_000,
    latency: load.latency,
    generatorMicros: (generatorMs / load.calls) * 1_000,
    otherCores,
  };
}

/**
 * `repeated`: samples that were taken again because other programs disturbed them. `disturbed`:
 * samples that count although they were disturbed, because each repetition was disturbed as well.
 */
export type Repeats = { repeated: number; disturbed: number };

/**
 * Takes a sample until one is not disturbed. On a machine that is never quiet, the least disturbed
 * one counts.
 *
 * @param repeatsMax over all samples that `repeats` counts.
 */
export async function takeQuietSample(
  take: () => Promise<Sample>,
  repeats: Repeats,
  repeatsMax: number,
): Promise<Sample> {
  let best = await take();
  for (let tries = 0; best.otherCores > otherCoresMax && tries < sampleRepeatsMax; tries += 1) {
    if (repeats.repeated >= repeatsMax) break;
    repeats.repeated += 1;
    const again = await take();
    if (again.otherCores < best.otherCores) best = again;
  }
  if (best.otherCores > otherCoresMax) repeats.disturbed += 1;
  return best;
}

/**
 * Checks that every call of a load was answered.
 * @throws Error when a call failed, because then the figures mean nothing.
 */
export function expectWhole(load: LoadResult, what: string): void {
  if (load.failed > 0) throw new Error(`${what}: ${load.failed} calls failed: ${load.reason}`);
  if (load.calls === 0) throw new Error(`${what}: not one call was answered`);
}
