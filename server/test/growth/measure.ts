/**
 * Measures by the processor time of this process how the cost of a piece of work grows with its
 * input. Used in a child (`child.ts`), so that nothing else is counted.
 *
 * An input is doubled until n costs enough to be judged, or until it is as large as the product
 * takes. Then n, 2n and 4n are compared: a doubling may cost 2.3 times as much at the most. Where the
 * largest input that is taken costs less than one turn of the relaying thread may, that is all that
 * is asked.
 *
 * A run that is not long begins with a smaller n. What looks linear there is not judged again; what
 * does not is judged as in a long run.
 */

import { slowness } from "./slowness.ts";

/** Work on one kind of input, of which each family is as hard as one makes it. */
export type Subject = {
  /** The entry of its registry. */
  readonly name: string;
  readonly families: readonly Family[];
};

export type Family = {
  readonly name: string;
  /**
   * Makes the input of about so many bytes, and returns the work on it, which is what is measured.
   * What it returns is counted as output, in bytes; nothing: there is none.
   */
  make(bytes: number): () => number | void | Promise<number | void>;
  /** Larger inputs are refused unread; absent: the limit is that of the group. */
  readonly bytesMax?: number;
  /** Whether only long runs measure it. */
  readonly isLong?: boolean;
};

export type Finding = {
  readonly subject: string;
  readonly family: string;
  /** How much the cost grew with a doubling, over two of them; 2 is linear; 0: it was not needed. */
  readonly growth: number;
  /** Milliseconds of processor time for the largest input. */
  readonly ms: number;
  readonly bytes: number;
  /** What is wrong; empty: nothing. */
  readonly fault: string;
};

/** Sizes of inputs of a group, in bytes. */
export type Sizes = {
  /** The first. */
  readonly small: number;
  /** The largest in a run that is not long. */
  readonly large: number;
  /** The largest that the product takes. */
  readonly most: number;
};

type Look = {
  /** The least cost of n, in milliseconds of processor time. */
  readonly judgedMs: number;
  /** What the largest input may cost without being compared with smaller ones. */
  readonly cheapMs: number;
  /** What grows no more than this is not measured again. */
  readonly clearGrowth: number;
};

/** The most that one turn of the relaying thread may cost, in milliseconds of processor time. */
const turnMs = 100;

/** The most that the cost may grow when the input doubles. */
const growthMax = 2.3;

/** A little noise hides no fault here. */
const longLook: Look = { judgedMs: 50, cheapMs: turnMs, clearGrowth: 2.2 };

/** The last one decides. */
const shortLooks: readonly Look[] = [
  { judgedMs: 2.5, cheapMs: 10, clearGrowth: growthMax },
  { judgedMs: 10, cheapMs: 40, clearGrowth: growthMax },
  longLook,
];

/** Each size is worked on so often at the most, and the least cost counts. */
const timesMeasured = 5;

/** What costs more than this, in milliseconds, is not made larger. */
const longMs = 4_000;

/** The most bytes of output for each byte of input, and beside it. */
const outputRatioMax = 64;
const outputBytesMax = 1024 * 1024;

/** An input that is taken is worked on so often at the most, to cost enough to be judged. */
const repeatsMax = 1_024;

/** Measures one family. */
export async function judge(
  subject: Subject,
  family: Family,
  sizes: Sizes & { readonly isLong: boolean },
): Promise<Finding> {
  const finding = (growth: number, { ms, bytes }: Cost, fault = ""): Finding => ({
    subject: subject.name,
    family: family.name,
    growth: Math.round(growth * 100) / 100,
    ms: Math.round(ms * 10) / 10,
    bytes,
    fault,
  });
  const most = family.bytesMax ?? sizes.most;
  if (family.bytesMax !== undefined) {
    const largest = await costOfTurn(family, most);
    if (largest.ms <= turnMs * slowness()) return finding(0, largest);
  }
  const looks = sizes.isLong ? [longLook] : shortLooks;
  let judged: Comparison = { growth: Infinity, largest: { ms: 0, output: 0, bytes: 0 }, fault: "" };
  for (const look of [...looks, longLook, longLook, longLook, longLook]) {
    // A fault is judged up to five times, because noise only makes it worse.
    if (judged.growth <= growthMax || judged.fault !== "") break;
    const large = look === shortLooks[0] ? Math.min(sizes.large, most) : most;
    judged = await compare(family, sizes.small, large, look);
  }
  const { growth, largest } = judged;
  const grows = growth > growthMax ? `grows ${growth.toFixed(2)} times` : "";
  return finding(growth, largest, judged.fault === "" ? grows : judged.fault);
}

type Cost = { readonly ms: number; readonly output: number; readonly bytes: number };

type Comparison = { readonly growth: number; readonly largest: Cost; readonly fault: string };

/** Doubles the input until it can be judged, and compares n, 2n and 4n. */
async function compare(
  family: Family,
  small: number,
  most: number,
  look: Look,
): Promise<Comparison> {
  const costs = await double(family, small, most, look);
  const [one, two, four] = costs.slice(-3);
  const fault = costs.map(faultOfOutput).find((each) => each !== "") ?? "";
  const largest = costs.at(-1) ?? { ms: 0, output: 0, bytes: small };
  if (fault !== "") return { growth: 0, largest, fault };
  if (one === undefined || two === undefined || four === undefined) {
    if (small < 64) throw new Error("the smallest input cannot be judged");
    return await compare(family, Math.floor(small / 4), most, look);
  }
  const isJudged = one.ms >= look.judgedMs;
  if (!isJudged && four.ms <= look.cheapMs * slowness()) return { growth: 0, largest, fault: "" };
  const growth = growthOf([one.ms, two.ms, four.ms]);
  if (isJudged && growth <= look.clearGrowth) return { growth, largest, fault: "" };
  return await compareLeast(family, one, look);
}

/** Works on inputs that double, until they can be judged or are as large as they may be. */
async function double(family: Family, small: number, most: number, look: Look) {
  const first = family.make(small);
  // The code is compiled while it works on small inputs.
  for (let count = 0; count < 2; count += 1) await first();
  const costs: Cost[] = [];
  for (let bytes = small; bytes <= most; bytes *= 2) {
    const cost = await costOf(family, bytes);
    const before = costs.at(-1)?.ms ?? 0;
    costs.push(cost);
    if (faultOfOutput(cost) !== "" || cost.ms > longMs) break;
    if ((costs.at(-3)?.ms ?? 0) >= look.judgedMs) break;
    // What is refused when it is larger is judged before that.
    const jumps = cost.ms > look.cheapMs * slowness() && cost.ms > before * growthMax;
    if (jumps && costs.length > 2) break;
  }
  return costs;
}

/**
 * Compares the least cost of several runs. It ends when it is clear that nothing is wrong.
 *
 * Every size is worked on for as many bytes: n four times as often as 4n. Beside other work a short
 * run finds a moment in which nothing disturbs it sooner than a long one, which then looks as if it
 * cost more than in proportion.
 */
async function compareLeast(
  family: Family,
  { bytes, ms: once }: Cost,
  { judgedMs, clearGrowth }: Look,
): Promise<Comparison> {
  const repeats = Math.min(repeatsMax, Math.max(1, Math.ceil(judgedMs / Math.max(once, 0.01))));
  const least = [Infinity, Infinity, Infinity];
  for (let count = 0; count < timesMeasured; count += 1) {
    // What others have left is not counted here.
    if (judgedMs === longLook.judgedMs) Bun.gc(true);
    // The largest first: by then the code for the smaller ones is compiled.
    for (const index of [2, 1, 0]) {
      const times = (repeats * 4) / 2 ** index;
      const { ms } = await costOf(family, bytes * 2 ** index, times);
      least[index] = Math.min(least[index] ?? Infinity, ms / times);
    }
    if (growthOf(least) <= clearGrowth || (least[2] ?? 0) * repeats > longMs) break;
  }
  const ms = least[2] ?? 0;
  return { growth: growthOf(least), largest: { ms, output: 0, bytes: bytes * 4 }, fault: "" };
}

/**
 * Returns how much the cost grows with a doubling, over both of them: a pause of the collector makes
 * one look steep and the other flat, and what is steep from some size on still shows.
 *
 * @param costs of n, 2n and 4n.
 */
function growthOf([one = 0, , four = 0]: readonly number[]): number {
  return Math.sqrt(four / one);
}

function faultOfOutput({ bytes, output }: Cost): string {
  const isTooMuch = output > bytes * outputRatioMax + outputBytesMax;
  return isTooMuch ? `${output} bytes of output for ${bytes}` : "";
}

/** Returns the cost of a single turn of the thread, measured again while it is too much. */
async function costOfTurn(family: Family, bytes: number): Promise<Cost> {
  let least = await costOf(family, bytes);
  for (let count = 1; count < timesMeasured && least.ms > turnMs; count += 1) {
    const cost = await costOf(family, bytes);
    if (cost.ms < least.ms) least = cost;
  }
  return least;
}

async function costOf(family: Family, bytes: number, repeats = 1): Promise<Cost> {
  const run = family.make(bytes);
  let output = 0;
  const before = process.cpuUsage();
  for (let repeat = 0; repeat < repeats; repeat += 1) output = (await run()) ?? 0;
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, output, bytes };
}
