/** What the load generator is told and what it answers: one JSON line each. */

export type LoadJob = {
  /** On 127.0.0.1. */
  readonly port: number;
  /** A whole HTTP/1.1 request, head and body; every call sends these bytes. */
  readonly request: string;
  readonly connections: number;
  /** No call is sent after so many milliseconds; those in flight are read to their end. */
  readonly durationMs: number;
  /** No call is sent after so many; 0: no limit but the time. */
  readonly callsMax: number;
  /** Calls a second over all connections; 0: each connection sends as soon as it is answered. */
  readonly callsPerSecond: number;
  /** An answer without this text is a failed call; "": any 200 will do. */
  readonly mustContain: string;
  /**
   * Being turned away (429, 503) is no failure and is counted apart. Latencies then begin when a
   * call is sent: with more due than connections can carry, the rest is the generator's own queue.
   */
  readonly mayShed?: boolean;
};

export type LoadResult = {
  /** Answered with 200, whole. */
  readonly calls: number;
  readonly failed: number;
  /** Turned away, and after how long. */
  readonly shed: number;
  readonly shedLatency: Latency;
  /** Of the first failure; "": none. */
  readonly reason: string;
  /** From the first byte sent to the last one read. */
  readonly elapsedMs: number;
  /** From the moment a call was due, whether or not a connection was free, to its last byte. */
  readonly latency: Latency;
  /** The longest wait for the first byte of an answer. */
  readonly firstByteMaxMs: number;
};

export type Latency = {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
};
