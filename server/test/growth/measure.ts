/**
 * Measures by the processor time of this process how the cost of a piece of work grows with its
 * input. Used in a child (`child.ts`), so that nothing else is counted.
 */

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
  /** Larger inputs are refused unread; absent: there is no such limit. */
  readonly bytesMax?: number;
};

export type Finding = {
  readonly subject: string;
  readonly family: string;
  /** How much the cost grows when the input doubles; 2 is linear. */
  readonly growth: number;
  /** Milliseconds of processor time for the largest input. */
  readonly ms: number;
  readonly bytes: number;
  /** What is wrong; empty: nothing. */
  readonly fault: string;
};

/** The most that the cost may grow when the input doubles. */
const growthMax = 2.3;

/** The least cost at which growth is judged, in milliseconds of processor time. */
const judgedMs = 50;

/** The most that one turn of the relaying thread may cost, in milliseconds of processor time. */
const turnMs = 100;

/** Inputs that cost no more than this when they are large are not looked at again. */
const cheapMs = 3;

/** The most bytes of output for each byte of input, and beside it. */
const outputRatioMax = 48;
const outputBytesMax = 1024 * 1024;

/** How often a judgement is repeated before it stands, because noise only makes it worse. */
const judgementsMax = 4;

/** What grows more than this is not taken for noise. */
const clearGrowth = 3;

const timesMeasured = 5;

/** What costs more than this, in milliseconds, is not measured again. */
const longMs = 4_000;

/** The largest input that is tried, in bytes, and how often the same is worked on. */
const bytesMax = 2 * 1024 * 1024;
const repeatsMax = 1_024;

/** The size of the first, rough look, in bytes; the second is at four times as many. */
type Sizes = { readonly small: number };

/** Measures one family, first roughly; what does not look linear then, thoroughly. */
export async function judge(subject: Subject, family: Family, sizes: Sizes): Promise<Finding> {
  const finding = (growth: number, ms: number, bytes: number, fault = ""): Finding => ({
    subject: subject.name,
    family: family.name,
    growth: Math.round(growth * 100) / 100,
    ms: Math.round(ms * 10) / 10,
    bytes,
    fault,
  });
  if (family.bytesMax !== undefined) {
    const { ms } = await costOfTurn(family, family.bytesMax);
    if (ms <= turnMs) return finding(0, ms, family.bytesMax);
  }
  const large = Math.min(sizes.small * 4, family.bytesMax ?? Infinity);
  let rough = Infinity;
  let most = { ms: 0, output: 0 };
  for (let count = 0; count < judgementsMax && rough > growthMax; count += 1) {
    // The large input first: by then the code of the small one is compiled.
    most = await costOf(family, large, count + 1);
    const least = await costOf(family, large / 4, count + 4);
    const ratio = most.ms / Math.max(least.ms, cheapMs / growthMax ** 2);
    rough = Math.min(rough, Math.sqrt(ratio));
    if (most.ms > longMs) break;
  }
  if (most.output > large * outputRatioMax + outputBytesMax) {
    return finding(rough, most.ms, large, `${most.output} bytes of output for ${large}`);
  }
  if (rough <= growthMax) return finding(rough, most.ms, large);
  let growth = Infinity;
  let [ms, bytes] = [most.ms, large];
  for (let count = 0; count < judgementsMax && growth > growthMax; count += 1) {
    const judged = await judgeThoroughly(family, bytes);
    [ms, bytes] = [judged.ms, judged.bytes];
    growth = Math.min(growth, judged.growth);
    if (growth > clearGrowth) break;
  }
  return finding(growth, ms, bytes, growth > growthMax ? `grows ${growth.toFixed(2)} times` : "");
}

/**
 * Measures n and 4n, which is two doublings, where n costs enough to be judged. Where no input is large enough for that,
 * each is worked on several times.
 */
async function judgeThoroughly(family: Family, first: number) {
  const largest = (family.bytesMax ?? bytesMax) / 4;
  let bytes = Math.min(first, largest);
  let repeats = 1;
  let cost = await costOf(family, bytes, 1);
  while (cost.ms > judgedMs * 4 && bytes > 64) {
    bytes = Math.ceil(bytes / 4);
    cost = await costOf(family, bytes, 1);
  }
  while (cost.ms < judgedMs && repeats < repeatsMax) {
    if (bytes * 2 <= largest) bytes *= 2;
    else repeats *= 2;
    cost = await costOf(family, bytes, 2, repeats);
  }
  const costs = [];
  for (const times of [1, 4]) {
    // What others have left is not counted here.
    Bun.gc(true);
    costs.push((await costOf(family, bytes * times, timesMeasured, repeats)).ms);
  }
  const [one = 0, four = 0] = costs;
  return { growth: Math.sqrt(four / one), ms: four / repeats, bytes: bytes * 4 };
}

/** Returns the cost of a single turn of the thread, measured again while it is too much. */
async function costOfTurn(family: Family, bytes: number) {
  let cost = await costOf(family, bytes, 1);
  if (cost.ms > turnMs) cost = await costOf(family, bytes, timesMeasured);
  return cost;
}

/** Returns the least processor time of several runs, in milliseconds. */
async function costOf(family: Family, bytes: number, times: number, repeats = 1) {
  const run = family.make(bytes);
  let ms = Infinity;
  let output = 0;
  for (let count = 0; count < times; count += 1) {
    const before = process.cpuUsage();
    for (let repeat = 0; repeat < repeats; repeat += 1) output = (await run()) ?? 0;
    const { user, system } = process.cpuUsage(before);
    ms = Math.min(ms, (user + system) / 1_000);
    if (ms > longMs) break;
  }
  return { ms, output };
}
