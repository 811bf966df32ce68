/** What a run found out; the report and the picture are made of it and of nothing else. */

import type { Latency } from "#bench/load/load-job.ts";

export type ContenderName = "direct" | "nginx" | "tollgate";

export type Result = {
  readonly about: About;
  readonly cases: readonly CaseResult[];
  readonly memory: MemoryResult | null;
  readonly stall: StallResult | null;
  readonly logs: readonly LogResult[];
  readonly books: readonly BooksResult[];
};

export type About = {
  /** `full`, `quick` or the names of the cases that were asked for. */
  readonly extent: string;
  readonly date: string;
  readonly commit: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly bun: string;
  /** Null: there is none on this machine. */
  readonly nginx: string | null;
  readonly rounds: number;
  readonly sampleMs: number;
};

/** One contender under one load for a few seconds. */
export type Sample = {
  readonly calls: number;
  readonly callsPerSecond: number;
  /** User and system time of all threads, in µs a call; null: the contender is not a process. */
  readonly cpuMicros: number | null;
  readonly latency: Latency;
  /** Of the generator itself, in µs a call. */
  readonly generatorMicros: number;
  /** Cores that programs other than the benchmark used meanwhile. */
  readonly otherCores: number;
};

export type Round = Readonly<Partial<Record<ContenderName, Sample>>>;

export type CaseResult = {
  readonly name: string;
  readonly title: string;
  readonly rounds: readonly Round[];
  /** Samples thrown away because the machine was busy with something else. */
  readonly repeated: number;
};

export type MemoryResult = {
  readonly idleMiB: number;
  readonly calls: number;
  /** While the calls ran, every quarter of a second: between two collections it goes up and down. */
  readonly duringMiB: { readonly median: number; readonly most: number };
  readonly afterMiB: number;
  /** Ten seconds later. */
  readonly restedMiB: number;
  readonly streams: number;
  readonly streamsMiB: number;
  /** The longest wait for the first byte of one of them, in ms. */
  readonly firstByteMaxMs: number;
};

export type StallResult = {
  readonly callsPerSecond: number;
  /** `GET /healthz`, many times a second. */
  readonly idle: Latency;
  readonly busy: Latency;
  /** nginx answering the same while it relays the same calls; null: there is none. */
  readonly control: Latency | null;
};

export type LogResult = {
  readonly rows: number;
  readonly seedSeconds: number;
  readonly reads: readonly LogRead[];
  readonly callsPerSecond: number;
  /** Calls while nobody reads the log, and while somebody does all the time. */
  readonly quiet: Latency;
  readonly reading: Latency;
  readonly restMiB: number;
};

export type LogRead = {
  readonly what: string;
  readonly times: number;
  readonly p50Ms: number;
  readonly maxMs: number;
};

/** Of one home, after the product on it has ended. */
export type BooksResult = {
  readonly home: string;
  /** Answered to the generator, or seeded. */
  readonly calls: number;
  /** Rows of type 2. */
  readonly rows: number;
  /** The last line of `tollgate audit`. */
  readonly audit: string;
  readonly auditSeconds: number;
};
