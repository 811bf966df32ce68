/**
 * Counters and histograms of the hot path. A call adds to a typed array at an index that is known
 * beforehand: no labels are looked up and no objects are made. `prom-client` reads the arrays when
 * somebody asks for the metrics.
 */

import { Counter, Histogram, type Registry } from "prom-client";

type Named = { readonly name: string; readonly help: string };

/** The labels of each row of a metric, such as `{ stream: "true" }`. */
type Rows = readonly Readonly<Record<string, string>>[];

/** Opens a counter. @returns a function that adds `amount` to a row, given by its index in `rows`. */
export function openCounter(
  registry: Registry,
  named: Named,
  rows: Rows,
): (row: number, amount: number) => void {
  const totals = new Float64Array(rows.length);
  const counter: Counter = new Counter({
    ...named,
    labelNames: labelNamesOf(rows),
    registers: [registry],
    collect() {
      counter.reset();
      for (const [row, labels] of rows.entries()) {
        const total = totals[row] ?? 0;
        if (total > 0) counter.inc(labels, total);
      }
    },
  });
  return (row, amount) => {
    totals[row] = (totals[row] ?? 0) + amount;
  };
}

/**
 * Opens a histogram. `buckets` are upper bounds in ascending order. @returns a function that
 * observes a value in a row, given by its index in `rows`.
 */
export function openHistogram(
  registry: Registry,
  given: Named & { readonly buckets: readonly number[] },
  rows: Rows,
): (row: number, value: number) => void {
  const tally = new Tally(given.buckets, rows);
  registry.registerMetric(new TalliedHistogram(given, tally));
  return (row, value) => tally.observe(row, value);
}

/** The observations of a histogram: for each row one count per bucket, one for above, and a sum. */
class Tally {
  readonly #buckets: readonly number[];
  readonly #rows: Rows;
  readonly #counts: Float64Array;
  readonly #sums: Float64Array;

  constructor(buckets: readonly number[], rows: Rows) {
    this.#buckets = buckets;
    this.#rows = rows;
    this.#counts = new Float64Array(rows.length * (buckets.length + 1));
    this.#sums = new Float64Array(rows.length);
  }

  observe(row: number, value: number): void {
    const buckets = this.#buckets;
    let bucket = 0;
    while (bucket < buckets.length && value > (buckets[bucket] ?? 0)) bucket += 1;
    const index = row * (buckets.length + 1) + bucket;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sums[row] = (this.#sums[row] ?? 0) + value;
  }

  /** The samples of the rows that have observations, as Prometheus defines those of a histogram. */
  samples(name: string): Sample[] {
    return this.#rows.flatMap((labels, row) => this.#samplesOf(name, labels, row));
  }

  #samplesOf(name: string, labels: Rows[number], row: number): Sample[] {
    const bounds: (number | string)[] = [...this.#buckets, "+Inf"];
    let count = 0;
    const buckets = bounds.map((le, bucket) => {
      count += this.#counts[row * bounds.length + bucket] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    const isUnlabeled = Object.keys(labels).length === 0;
    if (count === 0 && !isUnlabeled) return [];
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sums[row] ?? 0 },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

type Sample = {
  readonly metricName: string;
  readonly labels: Partial<Record<string, number | string>>;
  readonly value: number;
};

/** A histogram of `prom-client` whose samples come from a tally. */
class TalliedHistogram extends Histogram {
  readonly #named: Named;
  readonly #tally: Tally;

  constructor(named: Named, tally: Tally) {
    super({ name: named.name, help: named.help, registers: [] });
    this.#named = named;
    this.#tally = tally;
  }

  /** Replaces the library's method; its registry and its `get` read samples by it. */
  async getForPromString(): Promise<unknown> {
    const { name, help } = this.#named;
    return await Promise.resolve({
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      values: this.#tally.samples(name),
    });
  }
}

function labelNamesOf(rows: Rows): string[] {
  return Object.keys(rows[0] ?? {});
}
