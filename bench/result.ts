/** The result of a run, from which the report and the chart are made. */

import type { Dialect } from "@tollgate/server/src/db/dialect.ts";
import type { Latency } from "#bench/load/load-job.ts";

export type ContenderName = "direct" | "nginx" | "tollgate";

export type Result = {
  readonly about: About;
  readonly cases: readonly CaseResult[];
  readonly memory: MemoryResult | null;
  readonly stall: StallResult | null;
  /** Null: the long log was not measured. */
  readonly log: LogResult | null;
  readonly ledgers: readonly LedgerResult[];
  /** The ledger of the long log; null: it was not measured. */
  readonly logLedger: LedgerResult | null;
};

export type About = {
  /** `full` or `quick`, with the names of the cases when only some were run. */
  readonly extent: string;
  readonly date: string;
  readonly commit: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly bun: string;
  /** Version of nginx; null: this machine has none. */
  readonly nginx: string | null;
  readonly rounds: number;
  readonly sampleMs: number;
};

/** What was measured on one contender under one load for a few seconds. */
export type Sample = {
  readonly calls: number;
  readonly callsPerSecond: number;
  /** User and system time of all threads, in µs a call; null: the contender is not a process. */
  readonly cpuMicros: number | null;
  readonly latency: Latency;
  /** CPU time of the generator itself, in µs a call. */
  readonly generatorMicros: number;
  /** Cores that other programs used during the sample. */
  readonly otherCores: number;
};

export type Round = Readonly<Partial<Record<ContenderName, Sample>>>;

export type CaseResult = {
  readonly name: string;
  readonly title: string;
  readonly rounds: readonly Round[];
  /** How many samples were discarded because other programs were busy, and taken again. */
  readonly repeated: number;
};

export type MemoryResult = {
  readonly idleMiB: number;
  readonly calls: number;
  /**
   * Resident memory during the calls. Sampled every 250 ms, because it rises and falls with each
   * garbage collection.
   */
  readonly duringMiB: { readonly median: number; readonly most: number };
  readonly afterMiB: number;
  /** Resident memory ten seconds after the calls. */
  readonly restedMiB: number;
  readonly streams: number;
  readonly streamsMiB: number;
  /** The longest wait for the first byte of a stream, in ms. */
  readonly firstByteMaxMs: number;
};

export type StallResult = {
  readonly callsPerSecond: number;
  /**
   * Latency of `GET /healthz` while the product has no calls; it is requested many times a second.
   */
  readonly idle: Latency;
  readonly busy: Latency;
  /**
   * Latency of the same requests to nginx while it relays the same calls; null: there is no nginx.
   */
  readonly control: Latency | null;
};

export type LogResult = {
  readonly database: Dialect;
  readonly rows: number;
  /** Rows of the hourly roll-up, and of the one without users and tokens. */
  readonly hours: number;
  readonly totals: number;
  readonly megabytes: number;
  readonly seedSeconds: number;
  readonly reads: readonly LogRead[];
  readonly callsPerSecond: number;
  /** Latency of calls: `quiet` while nothing reads the log, `reading` during constant reads. */
  readonly quiet: Latency;
  readonly reading: Latency;
  readonly restMiB: number;
  readonly cleaning: LogCleaningResult;
};

/** What removing old rows in the background did, and how calls went meanwhile. */
export type LogCleaningResult = { readonly rowsPerSecond: number; readonly calls: Latency };

export type LogRead = {
  readonly what: string;
  readonly times: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

/** What the ledger of one product contained after the product had stopped. */
export type LedgerResult = {
  readonly load: string;
  /**
   * How many charged calls the ledger must have: those that were answered, or the rows that were
   * seeded.
   */
  readonly calls: number;
  /** The number of log rows of type 2, which are charged calls. */
  readonly rows: number;
  /** The last line that `tollgate audit` printed. */
  readonly audit: string;
  readonly auditSeconds: number;
};
