import { describe, expect, test } from "bun:test";
import { judge, type Pair } from "./verdict.ts";

const limit = 0.05;

/** Makes pairs of measured values, each with one of these ratios of ours to theirs. */
function pairsOf(...ratios: readonly number[]): Pair[] {
  return ratios.map((ratio) => ({ ours: 200 * ratio, theirs: 200 }));
}

describe("two commits are compared", () => {
  test("by the median of the ratios, so that one bad pair decides nothing", () => {
    const { ratio, verdict } = judge(pairsOf(1.01, 0.99, 1.6, 1, 1.02), limit);
    expect(ratio.middle).toBeCloseTo(1.01);
    expect(ratio.most).toBeCloseTo(1.6);
    expect(verdict).toBe("within");
  });

  test("a difference beyond the limit that most pairs show is a slower commit", () => {
    expect(judge(pairsOf(1.08, 1.06, 1.09, 0.98, 1.07), limit).verdict).toBe("slower");
  });

  test("a difference beyond the limit that the pairs contradict is no verdict", () => {
    expect(judge(pairsOf(1.2, 0.9, 1.08, 0.95, 1.1), limit).verdict).toBe("unclear");
  });

  test("a good median among pairs that scatter beyond the limit is no verdict", () => {
    expect(judge(pairsOf(0.99, 1.2, 0.85, 1.16, 0.9), limit).verdict).toBe("unclear");
  });

  test("three pairs are no verdict, however much they agree", () => {
    expect(judge(pairsOf(1.2, 1.2, 1.2), limit).verdict).toBe("unclear");
    expect(judge(pairsOf(1, 1, 1), limit).verdict).toBe("unclear");
  });

  test("a difference at the limit, and a faster commit, are good", () => {
    expect(judge(pairsOf(1.04, 1.05, 1.05, 1.05), limit).verdict).toBe("within");
    expect(judge(pairsOf(0.7, 0.72, 0.69, 0.71), limit).verdict).toBe("within");
  });

  test("quartiles are interpolated between pairs", () => {
    const { ratio } = judge(pairsOf(1, 1.1, 1.2, 1.4), limit);
    expect(ratio.lower).toBeCloseTo(1.075);
    expect(ratio.upper).toBeCloseTo(1.25);
  });
});
