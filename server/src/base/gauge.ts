/** A metric whose value is read at each request for the metrics. */
export type Gauge = {
  /** The metric's Prometheus name. */
  readonly name: string;
  /** Help text: one sentence. */
  readonly help: string;
  readonly read: () => number;
};
