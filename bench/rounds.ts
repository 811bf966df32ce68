/** Puts a case on all contenders in turn, round after round, so that all meet the same machine. */

import { type Case, proofOf, requestOf, warmUpCase } from "./cases.ts";
import type { Contender } from "./contenders.ts";
import type { LoadResult } from "./load-job.ts";
import type { Generator } from "./open-generator.ts";
import { cpuMsOf, watchOthers } from "./processes.ts";
import type { CaseResult, ContenderName, Round, Sample } from "./result.ts";

export type Extent = {
  readonly rounds: number;
  readonly sampleMs: number;
  readonly warmUpMs: number;
  /** Disturbed samples that are taken again, in each case. */
  readonly repeatsMax: number;
};

/** A sample during which other programs used more is disturbed. */
const otherCoresMax = 0.12;
/** One sample is taken again so often, before the next one has its turn. */
const sampleRepeatsMax = 3;

type Bench = {
  readonly contenders: readonly Contender[];
  readonly generator: Generator;
  readonly extent: Extent;
  readonly tell: (line: string) => void;
};

/** Runs calls whose figures nobody looks at. */
export async function warmUp(
  bench: Bench,
  contender: Contender,
  durationMs: number,
): Promise<void> {
  await sample(bench, warmUpCase, contender, durationMs);
}

export async function runCase(bench: Bench, one: Case): Promise<CaseResult> {
  const { contenders, extent, tell } = bench;
  for (const contender of contenders) await sample(bench, one, contender, extent.warmUpMs);
  const rounds: Round[] = [];
  let repeated = 0;
  for (let index = 0; index < extent.rounds; index += 1) {
    const round: Partial<Record<ContenderName, Sample>> = {};
    // Another one begins each time, so that nobody always follows the same one.
    for (const contender of rotated(contenders, index)) {
      const taken = await quietSample(bench, one, contender, extent.repeatsMax - repeated);
      round[contender.name] = taken.sample;
      repeated += taken.repeats;
    }
    rounds.push(round);
  }
  tell(`${one.name}: done, ${repeated} samples repeated`);
  return { name: one.name, title: one.title, rounds, repeated };
}

function rotated<Value>(values: readonly Value[], by: number): Value[] {
  const at = by % values.length;
  return [...values.slice(at), ...values.slice(0, at)];
}

/** The first sample that nobody disturbed; on a machine that is never quiet the least disturbed. */
async function quietSample(
  bench: Bench,
  one: Case,
  contender: Contender,
  repeatsMax: number,
): Promise<{ sample: Sample; repeats: number }> {
  let best = await sample(bench, one, contender, bench.extent.sampleMs);
  let repeats = 0;
  while (best.otherCores > otherCoresMax && repeats < Math.min(repeatsMax, sampleRepeatsMax)) {
    const again = await sample(bench, one, contender, bench.extent.sampleMs);
    repeats += 1;
    if (again.otherCores < best.otherCores) best = again;
  }
  return { sample: best, repeats };
}

async function sample(
  { generator }: Bench,
  one: Case,
  contender: Contender,
  durationMs: number,
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
    callsMax: 0,
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

/** @throws Error when a call failed: figures of a load that was not served mean nothing. */
export function expectWhole(load: LoadResult, what: string): void {
  if (load.failed > 0) throw new Error(`${what}: ${load.failed} calls failed: ${load.reason}`);
  if (load.calls === 0) throw new Error(`${what}: not one call was answered`);
}
