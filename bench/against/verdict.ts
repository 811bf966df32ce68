/**
 * Judges pairs of figures, each with one of this tree and one of another commit. Noise is the range
 * of the middle half of the ratios, from quartile to quartile. A difference counts only when that
 * range lies on one side of 1.
 */

import { median, quantile } from "#bench/statistics.ts";

export type Pair = { readonly ours: number; readonly theirs: number };

export type Judgement = {
  readonly ours: number;
  readonly theirs: number;
  /** Ours divided by theirs within each pair: median, quartiles and extremes over all pairs. */
  readonly ratio: {
    readonly middle: number;
    readonly lower: number;
    readonly upper: number;
    readonly least: number;
    readonly most: number;
  };
  readonly verdict: Verdict;
};

/** Fewer pairs do not show how large the noise is, so the verdict is `unclear`. */
const pairsMin = 4;

/**
 * - `slower`: the median is above the limit, and at least three quarters of the pairs are above 1.
 * - `unclear`: there are too few pairs to know the noise, or noise hides the answer: the median is
 *   above the limit but the middle half reaches 1, or the median is good but the middle half
 *   reaches beyond the limit and is wider than twice it.
 * - `within`: everything else, faster included.
 */
type Verdict = "slower" | "unclear" | "within";

/**
 * Decides from pairs of figures whether this tree is slower than the other commit.
 * @param pairs of figures of which less is better.
 * @param limit 0.05: up to five per cent more is accepted.
 */
export function judge(pairs: readonly Pair[], limit: number): Judgement {
  const ratios = pairs.map(({ ours, theirs }) => ours / theirs);
  const ratio = {
    middle: median(ratios),
    lower: quantile(ratios, 0.25),
    upper: quantile(ratios, 0.75),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
  };
  return {
    ours: median(pairs.map(({ ours }) => ours)),
    theirs: median(pairs.map(({ theirs }) => theirs)),
    ratio,
    verdict: pairs.length < pairsMin ? "unclear" : verdictOf(ratio, limit),
  };
}

function verdictOf({ middle, lower, upper }: Judgement["ratio"], limit: number): Verdict {
  if (middle > 1 + limit) return lower > 1 ? "slower" : "unclear";
  return upper > 1 + limit && upper - lower > 2 * limit ? "unclear" : "within";
}
