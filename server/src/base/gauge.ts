/** A metric whose value is read whenever the metrics are requested. */
export type Gauge = {
  /** The metric's Prometheus name. */
  readonly name: string;
  /** Help text: one sentence. */
  readonly help: string;
  readonly read: () => number;
};
