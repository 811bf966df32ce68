/** The result of comparing two commits, as a table and a verdict. */

import type { Sample } from "#bench/result.ts";
import type { Repeats } from "#bench/sample.ts";
import { median } from "#bench/statistics.ts";
import { fixed, table, whole } from "#bench/table.ts";
import { type Judgement, judge, type Pair } from "./verdict.ts";

export type CasePair = {
  /** Name of the load that was compared, such as `small`. */
  readonly case: string;
  readonly ours: Sample;
  readonly theirs: Sample;
  /**
   * What the same load cost nginx, to show the state of the machine; null: this machine has no
   * nginx.
   */
  readonly nginx: Sample | null;
};

export type PairResult = {
  readonly samples: readonly CasePair[];
  /** Resident memory of each product after the load, in MiB. */
  readonly memory: Pair;
  /** The most that each product had from its first call on, in MiB. */
  readonly highest: Pair;
};

export type Comparison = {
  /** The compared commits: this tree's (`ours`) and the other one (`theirs`). */
  readonly ours: string;
  readonly theirs: string;
  /** The accepted slowdown: 0.05 is five per cent. */
  readonly limit: number;
  readonly titles: readonly { readonly name: string; readonly title: string }[];
  readonly pairs: readonly PairResult[];
  readonly repeats: Readonly<Repeats>;
  readonly warmUpCalls: number;
  readonly sampleMs: number;
};

type Line = {
  readonly what: string;
  readonly unit: string;
  readonly digits: number;
  readonly nginx: number | null;
  readonly judgement: Judgement;
  /** Whether this line of the table counts for the verdict. */
  readonly isJudged: boolean;
};

export function isSlower(comparison: Comparison): boolean {
  return judgedLines(comparison).some(({ judgement }) => judgement.verdict === "slower");
}

export function writeComparison(comparison: Comparison): string {
  const { pairs, repeats, ours, theirs, warmUpCalls, sampleMs } = comparison;
  const head = [
    "",
    "unit",
    "nginx",
    theirs,
    ours,
    "ratio",
    "middle half",
    "least to most",
    "verdict",
  ];
  const rows = linesOf(comparison).map(({ what, unit, digits, nginx, judgement, isJudged }) => {
    const { middle, lower, upper, least, most } = judgement.ratio;
    return [
      what,
      unit,
      nginx === null ? "" : fixed(nginx, digits),
      fixed(judgement.theirs, digits),
      fixed(judgement.ours, digits),
      fixed(middle, 3),
      `${fixed(lower, 3)} to ${fixed(upper, 3)}`,
      `${fixed(least, 3)} to ${fixed(most, 3)}`,
      isJudged ? words(judgement, comparison.limit) : "not judged",
    ];
  });
  return `${ours} (this tree) against ${theirs}, ${pairs.length} pairs, medians.

${table(head, rows)}

- The ratio is this tree's figure divided by the other's, within a pair; above 1 this tree needs more.
- Noise is the middle half of the ratios. A case is slower when its median is above the limit and
  that half lies above 1; it is unclear when noise could hide that.
- Both products of a pair are started afresh, warmed up with ${whole(warmUpCalls)} calls and sampled for ${fixed(sampleMs / 1_000, 1)} s.
  So young a runtime still compiles: figures are above those of a gateway that has run for long, on
  both sides alike. Compare the columns, not these figures with those of docs/performance.md.
- Other programs disturbed ${repeats.repeated} samples, which were taken again; ${repeats.disturbed} that count were disturbed too.

${verdictOf(comparison)}`;
}

function verdictOf(comparison: Comparison): string {
  const { limit } = comparison;
  const judged = judgedLines(comparison);
  const named = (verdict: Judgement["verdict"]): string =>
    judged
      .filter(({ judgement }) => judgement.verdict === verdict)
      .map(({ what, judgement }) => `${what} (${signedPercent(judgement.ratio.middle - 1)})`)
      .join("; ");
  const slower = named("slower");
  if (slower !== "") return `Slower than the limit of ${percent(limit)}: ${slower}.`;
  const unclear = named("unclear");
  if (unclear === "") return `Within ${percent(limit)}.`;
  return `No verdict, too much noise or too few pairs: ${unclear}. Use a quieter machine or more pairs (--pairs).`;
}

function words({ ratio, verdict }: Judgement, limit: number): string {
  if (verdict === "slower") return `slower by ${percent(ratio.middle - 1)}`;
  if (verdict === "unclear") return "unclear";
  const isFaster = ratio.middle < 1 - limit && ratio.upper < 1;
  return isFaster ? `faster by ${percent(1 - ratio.middle)}` : `within ${percent(limit)}`;
}

function judgedLines(comparison: Comparison): Line[] {
  return linesOf(comparison).filter(({ isJudged }) => isJudged);
}

function linesOf({ titles, pairs, limit }: Comparison): Line[] {
  const lines = titles.flatMap(({ name, title }): Line[] => {
    const samples = pairs.flatMap((pair) => pair.samples.filter((one) => one.case === name));
    const line = (
      what: string,
      unit: string,
      digits: number,
      read: (sample: Sample) => number,
    ): Line => {
      const found = samples.map(({ ours, theirs }) => ({ ours: read(ours), theirs: read(theirs) }));
      const nginx = samples.flatMap((one) => (one.nginx === null ? [] : [read(one.nginx)]));
      return {
        what: `${title}: ${what}`,
        unit,
        digits,
        nginx: nginx.length === 0 ? null : median(nginx),
        judgement: judge(found, limit),
        isJudged: true,
      };
    };
    return [
      line("CPU a call", "µs", 1, ({ cpuMicros }) => cpuMicros ?? Number.NaN),
      line("time of a call, p50", "ms", 2, ({ latency }) => latency.p50Ms),
      { ...line("time of a call, p99", "ms", 2, ({ latency }) => latency.p99Ms), isJudged: false },
    ];
  });
  const memory = (what: string, read: (pair: PairResult) => Pair): Line => ({
    what,
    unit: "MiB",
    digits: 0,
    nginx: null,
    judgement: judge(pairs.map(read), limit),
    isJudged: false,
  });
  return [
    ...lines,
    memory("memory after the load (RSS)", (pair) => pair.memory),
    memory("memory, highest (RSS)", (pair) => pair.highest),
  ];
}

function percent(part: number): string {
  return `${Number(fixed(part * 100, 1))} %`;
}

function signedPercent(part: number): string {
  return `${part < 0 ? "" : "+"}${percent(part)}`;
}
