/** Runs a case on all contenders in turn, round after round, so that all meet the same conditions. */

import { type Case, warmUpCase } from "./cases.ts";
import type { Contender } from "./contenders.ts";
import type { Generator } from "#bench/load/open-generator.ts";
import type { CaseResult, ContenderName, Round, Sample } from "./result.ts";
import { takeQuietSample, takeSample } from "./sample.ts";

export type Extent = {
  readonly rounds: number;
  readonly sampleMs: number;
  readonly warmUpMs: number;
  /** How many disturbed samples of a case may be taken again. */
  readonly repeatsMax: number;
};

type Bench = {
  readonly contenders: readonly Contender<ContenderName>[];
  readonly generator: Generator;
  readonly extent: Extent;
  readonly tell: (line: string) => void;
};

const warmUpMaxMs = 600_000;

/** Runs calls whose results do not count, to warm a contender up. */
export async function warmUp(
  { generator }: Bench,
  contender: Contender,
  callsMax: number,
): Promise<void> {
  await takeSample(generator, warmUpCase, contender, { durationMs: warmUpMaxMs, callsMax });
}

export async function runCase(bench: Bench, one: Case): Promise<CaseResult> {
  const { contenders, generator, extent, tell } = bench;
  for (const contender of contenders) {
    await takeSample(generator, one, contender, { durationMs: extent.warmUpMs });
  }
  const rounds: Round[] = [];
  const repeats = { repeated: 0, disturbed: 0 };
  for (let index = 0; index < extent.rounds; index += 1) {
    const round: Partial<Record<ContenderName, Sample>> = {};
    // Each round begins with another contender, so that none always follows the same one.
    for (const contender of rotated(contenders, index)) {
      const take = async (): Promise<Sample> =>
        await takeSample(generator, one, contender, { durationMs: extent.sampleMs });
      round[contender.name] = await takeQuietSample(take, repeats, extent.repeatsMax);
    }
    rounds.push(round);
  }
  tell(`${one.name}: done, ${repeats.repeated} samples repeated`);
  return { name: one.name, title: one.title, rounds, repeated: repeats.repeated };
}

function rotated<Value>(values: readonly Value[], by: number): Value[] {
  const at = by % values.length;
  return [...values.slice(at), ...values.slice(0, at)];
}
