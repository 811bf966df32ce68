/**
 * The metrics of the process as Prometheus text. Labels are few and bounded, and contain no names,
 * keys or texts.
 */

import { Counter, Gauge, Registry } from "prom-client";
import type { Gauge as WatchedGauge } from "#base/gauge.ts";
import type { RelayMetrics } from "#relay/deps.ts";
import { watchProcess } from "./process.ts";
import { openCounter, openHistogram } from "./tallies.ts";

export type Metrics = {
  readonly relay: RelayMetrics;
  readonly text: () => Promise<string>;
};

const secondsBuckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300];

const lagBuckets = [0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Fault codes with a label of their own; all others are counted as `other`. */
const faultCodes = new Set([
  "address-unresolved",
  "answer-malformed",
  "answer-not-http",
  "answer-truncated",
  "certificate-expired",
  "certificate-invalid",
  "certificate-name",
  "certificate-untrusted",
  "connection-closed",
  "connection-failed",
  "connection-refused",
  "gateway-busy",
  "gateway-files",
  "http-401",
  "http-403",
  "http-404",
  "http-429",
  "http-500",
  "http-502",
  "http-503",
  "proxy-credentials",
  "proxy-failed",
  "proxy-refused",
  "timeout-between-chunks",
  "timeout-connect",
  "timeout-first-byte",
  "timeout-proxy",
  "timeout-tls",
  "timeout-total",
  "tls-failed",
]);

/**
 * Number of channels with a label of their own, by id. All further channels share the label
 * `other`.
 */
const channelLabelMax = 1_000;

export function openMetrics(
  gauges: readonly WatchedGauge[],
  program: { readonly version: string; readonly commit: string },
): Metrics {
  const registry = new Registry();
  watchProcess(registry, program);
  const registers = [registry];
  const callEnded = openCallMetrics(registry);
  const settleLag = openHistogram(
    registry,
    {
      name: "tollgate_settle_seconds",
      help: "From the decision of a charge to its commit.",
      buckets: lagBuckets,
    },
    [{}],
  );
  const faults = new Counter({
    name: "tollgate_channel_faults_total",
    help: "Attempts that failed upstream.",
    labelNames: ["channel", "code"],
    registers,
  });
  let callsOpen = 0;
  watch(registers, {
    name: "tollgate_calls_open",
    help: "Calls that run.",
    read: () => callsOpen,
  });
  for (const gauge of gauges) watch(registers, gauge);
  const seen = new Set<number>();

  return {
    text: async () => await registry.metrics(),
    relay: {
      callsOpen(change) {
        callsOpen += change;
      },
      settleLag: (ms) => settleLag(0, ms / 1_000),
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

/** A row per answer kind: whole answers are row 0, streams row 1. */
const streamRows = [{ stream: "false" }, { stream: "true" }];

/** A row per status class, `0xx` to `9xx`, first of whole answers, then of streams. */
const statusRows = streamRows.flatMap(({ stream }) =>
  Array.from({ length: 10 }, (_, hundreds) => ({ status: `${hundreds}xx`, stream })),
);

/** Opens the counters and histograms of ended calls, and returns the function that counts one. */
function openCallMetrics(registry: Registry): RelayMetrics["callEnded"] {
  const calls = openCounter(
    registry,
    {
      name: "tollgate_calls_total",
      help: "Relayed calls that ended, by HTTP status class.",
    },
    statusRows,
  );
  const tokens = openCounter(registry, { name: "tollgate_tokens_total", help: "Tokens charged." }, [
    { direction: "input" },
    { direction: "output" },
  ]);
  const duration = openHistogram(
    registry,
    {
      name: "tollgate_call_seconds",
      help: "From a call's first byte in to its last byte out.",
      buckets: secondsBuckets,
    },
    streamRows,
  );
  const firstByte = openHistogram(
    registry,
    {
      name: "tollgate_first_byte_seconds",
      help: "From a call's first byte in to its first content out.",
      buckets: secondsBuckets,
    },
    streamRows,
  );
  return (end) => {
    const stream = end.stream ? 1 : 0;
    calls(stream * 10 + Math.floor(end.status / 100), 1);
    duration(stream, end.durationMs / 1_000);
    if (end.firstByteMs !== null) firstByte(stream, end.firstByteMs / 1_000);
    tokens(0, end.inputTokens);
    tokens(1, end.outputTokens);
  };
}

function watch(registers: Registry[], { name, help, read }: WatchedGauge): void {
  const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
}
