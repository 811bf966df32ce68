/**
 * Where upstreams put the counts of one answer: 1,000 tokens of the prompt are fresh, 2,600 were
 * found in the cache, and the output has 141. However they are spread, these are charged.
 */

import type { Said } from "./spellings.ts";

type Placement = {
  readonly name: string;
  /** The reports at the beginning and at the end of a stream; null: none there. */
  readonly first: Said | null;
  readonly last: Said | null;
  /** What is charged, where it is not all of the above: all of the prompt as fresh. */
  readonly isPlain?: boolean;
};

const all = { fresh: 1_000, cached: 2_600, output: 141 } as const;
const begun = { ...all, output: 1 } as const;

export const placements: readonly Placement[] = [
  { name: "all at the end", first: null, last: all },
  { name: "input at the beginning, output at the end", first: begun, last: { output: 141 } },
  {
    name: "zeros of the input at the end",
    first: begun,
    last: { fresh: 0, cached: 0, output: 141 },
  },
  {
    name: "nulls of the input at the end",
    first: begun,
    last: { fresh: null, cached: null, output: 141 },
  },
  { name: "zeros at the beginning", first: { fresh: 0, cached: 0, output: 0 }, last: all },
  { name: "the same at both", first: begun, last: all },
  {
    name: "all at the beginning of which the end repeats a zero of the output",
    first: { fresh: 0, cached: 0, output: 141 },
    last: all,
  },
  {
    name: "the prompt as fresh at the beginning, and its parts at the end",
    first: { fresh: 3_600, output: 1 },
    last: all,
  },
  {
    name: "its parts at the beginning, and the prompt as fresh at the end",
    first: begun,
    last: { fresh: 3_600, output: 141 },
  },
  {
    name: "an estimate at the beginning that is smaller",
    first: { fresh: 12, output: 1 },
    last: all,
  },
  {
    name: "an estimate at the beginning that is greater",
    first: { fresh: 9_000, output: 400 },
    last: all,
  },
  {
    name: "a whole report with smaller counts after one that is greater",
    first: { fresh: 4_000, cached: 3_000, output: 200, hasTotal: true },
    last: { ...all, hasTotal: true },
  },
  {
    name: "a whole report without the cache after one with it",
    first: begun,
    last: { fresh: 3_600, output: 141, hasTotal: true },
    isPlain: true,
  },
  {
    name: "output at the beginning that the end counts again",
    first: { ...all, output: 20 },
    last: { output: 141 },
  },
];
