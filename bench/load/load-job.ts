/** The job and the result of the load generator, one JSON line each. */

export type LoadJob = {
  /** Port on 127.0.0.1. */
  readonly port: number;
  /** A whole HTTP/1.1 request, head and body, that calls send. */
  readonly request: string;
  /** Further requests; the calls send all of them in turn. */
  readonly others?: readonly string[];
  readonly connections: number;
  /** The generator sends no call after this time, and reads those in flight to their end. */
  readonly durationMs: number;
  /** The generator sends at most this many calls; 0: only the time limits them. */
  readonly callsMax: number;
  /** Calls per second over all connections; 0: a connection sends as soon as it has its answer. */
  readonly callsPerSecond: number;
  /** A text that every successful answer contains; "": any answer of status 200 is a success. */
  readonly mustContain: string;
  /**
   * True: the product may shed load, so refused calls (429, 503) are counted apart and are no
   * failures. The latency of a call then begins when it is sent, not when it was due: calls beyond
   * what the connections carry wait in the generator, not in the product.
   */
  readonly mayShed?: boolean;
  /** Whether the result has the latency of every call, so that those of several loads can be joined. */
  readonly keepsAll?: boolean;
};

export type LoadResult = {
  /** How many calls got a whole answer of status 200. */
  readonly calls: number;
  readonly failed: number;
  /** How many calls were refused with 429 or 503, and how long the refusals took. */
  readonly shed: number;
  readonly shedLatency: Latency;
  /** The reason of the first failure; "": none. */
  readonly reason: string;
  /** Time from the start of the load to the last byte read. */
  readonly elapsedMs: number;
  /** The time from the moment a call was due, even if no connection was free, to its last byte. */
  readonly latency: Latency;
  /** The longest wait for the first byte of an answer. */
  readonly firstByteMaxMs: number;
  /** The latency of every call, if the job asked for them. */
  readonly allMs: readonly number[];
};

export type Latency = {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
};
