/**
 * The metrics of the process as Prometheus text. Labels are few and bounded, and contain no names,
 * keys or texts.
 */

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Gauge as WatchedGauge } from "#base/gauge.ts";
import type { RelayMetrics } from "#relay/deps.ts";

export type Metrics = {
  readonly relay: RelayMetrics;
  readonly text: () => Promise<string>;
};

const secondsBuckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300];

const lagBuckets = [0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Fault codes with a label of their own; all others are counted as `other`. */
const faultCodes = new Set([
  "answer-malformed",
  "answer-truncated",
  "connect",
  "timeout",
  "http-401",
  "http-403",
  "http-404",
  "http-429",
  "http-500",
  "http-502",
  "http-503",
]);

/**
 * Number of channels with a label of their own, by id. All further channels share the label
 * `other`.
 */
const channelLabelMax = 1_000;

export function openMetrics(gauges: readonly WatchedGauge[]): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const callEnded = openCallMetrics(registers);
  const settleLag = new Histogram({
    name: "tollgate_settle_seconds",
    help: "From the decision of a charge to its commit.",
    buckets: lagBuckets,
    registers,
  });
  const faults = new Counter({
    name: "tollgate_channel_faults_total",
    help: "Attempts that failed upstream.",
    labelNames: ["channel", "code"],
    registers,
  });
  const open = new Gauge({ name: "tollgate_calls_open", help: "Calls that run.", registers });
  for (const gauge of gauges) watch(registers, gauge);
  const seen = new Set<number>();

  return {
    text: async () => await registry.metrics(),
    relay: {
      callsOpen: (change) => open.inc(change),
      settleLag: (ms) => settleLag.observe(ms / 1_000),
      channelFault(channelId, code) {
        if (seen.size < channelLabelMax) seen.add(channelId);
        faults.inc({
          channel: seen.has(channelId) ? String(channelId) : "other",
          code: faultCodes.has(code) ? code : "other",
        });
      },
      callEnded,
    },
  };
}

/** Opens the counters and histograms of ended calls, and returns the function that counts one. */
function openCallMetrics(registers: Registry[]): RelayMetrics["callEnded"] {
  const calls = new Counter({
    name: "tollgate_calls_total",
    help: "Relayed calls that ended, by HTTP status class.",
    labelNames: ["status", "stream"],
    registers,
  });
  const tokens = new Counter({
    name: "tollgate_tokens_total",
    help: "Tokens charged.",
    labelNames: ["direction"],
    registers,
  });
  const duration = new Histogram({
    name: "tollgate_call_seconds",
    help: "From a call's first byte in to its last byte out.",
    labelNames: ["stream"],
    buckets: secondsBuckets,
    registers,
  });
  const firstByte = new Histogram({
    name: "tollgate_first_byte_seconds",
    help: "From a call's first byte in to its first content out.",
    labelNames: ["stream"],
    buckets: secondsBuckets,
    registers,
  });
  const ends = remember((stream, status) => calls.labels(status, stream));
  const durations = remember((stream) => duration.labels(stream));
  const firstBytes = remember((stream) => firstByte.labels(stream));
  const directions = remember((direction) => tokens.labels(direction));
  return (end) => {
    const stream = String(end.stream);
    ends(stream, `${Math.floor(end.status / 100)}xx`).inc();
    durations(stream).observe(end.durationMs / 1_000);
    if (end.firstByteMs !== null) firstBytes(stream).observe(end.firstByteMs / 1_000);
    if (end.inputTokens > 0) directions("input").inc(end.inputTokens);
    if (end.outputTokens > 0) directions("output").inc(end.outputTokens);
  };
}

/**
 * Caches the children of a metric, one per combination of labels. Finding one by its labels costs
 * more than counting, and there are few.
 */
function remember<Child>(
  make: (first: string, second: string) => Child,
): (first: string, second?: string) => Child {
  const known = new Map<string, Child>();
  return (first, second = "") => {
    const key = `${first} ${second}`;
    const found = known.get(key) ?? make(first, second);
    known.set(key, found);
    return found;
  };
}

function watch(registers: Registry[], { name, help, read }: WatchedGauge): void {
  const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
}
