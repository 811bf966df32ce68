/** A figure that is read when somebody asks for the metrics. */
export type Gauge = {
  /** As Prometheus names metrics. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly read: () => number;
};
