/**
 * Hands traced calls to the thread that sends them to a collector. What waits is bounded: while the
 * collector is slow or away, calls are dropped from the traces and counted, and nothing else
 * notices.
 */

import type { Gauge } from "#base/gauge.ts";
import type { TracedCall } from "#canonical/call-trace.ts";

export type TracesMessage = { readonly calls: readonly TracedCall[]; readonly version: string };

/** A batch was sent, or the collector did not take it. */
export type SentMessage = { readonly count: number; readonly isSent: boolean };

/** How many traced calls may wait until they are sent. */
const waitingMax = 4_096;

/** A batch goes to the thread when it has so many calls, or after this time. */
const batchMax = 256;
const batchMs = 1_000;

/**
 * How long the thread may take over one batch, in milliseconds; then it is ended, and another one
 * sends the batches behind it. The exporter itself gives up after 10 seconds.
 */
const batchMaxMs = 35_000;

/** How long the end of the process waits for the last batch, in milliseconds. */
const closeMaxMs = 3_000;

export type OpenTraces = {
  takes(): boolean;
  ended(call: TracedCall): void;
  readonly gauges: readonly Gauge[];
  close(): Promise<void>;
};

type TracesOptions = {
  /** The share of calls that are traced, from 0 to 1. */
  readonly share: number;
  readonly version: string;
  readonly random: () => number;
  readonly start: () => Worker;
  /** Left out: as long as usual. */
  readonly taskMaxMs?: number;
};

export function openTraces(options: TracesOptions): OpenTraces {
  const { share, version, random, start, taskMaxMs = batchMaxMs } = options;
  let batch: TracedCall[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let late: ReturnType<typeof setTimeout> | undefined;
  let worker: Worker | undefined;
  /** Batches that are with the thread, which sends them one after the other. */
  let sending: TracesMessage[] = [];
  /** Calls in these. */
  let away = 0;
  let sent = 0;
  let dropped = 0;
  let settled: (() => void) | undefined;

  function running(): Worker {
    if (worker !== undefined) return worker;
    const started = start();
    worker = started;
    started.onmessage = ({ data }: MessageEvent<SentMessage>) => {
      if (worker !== started) return;
      sending.shift();
      away -= data.count;
      if (data.isSent) sent += data.count;
      else dropped += data.count;
      watch();
    };
    started.onerror = () => {
      if (worker === started) replace();
    };
    return started;
  }

  /** Drops the batch that has kept or killed the thread; the next thread sends those behind it. */
  function replace(): void {
    worker?.terminate();
    worker = undefined;
    const [bad, ...others] = sending;
    const count = bad?.calls.length ?? 0;
    dropped += count;
    away -= count;
    sending = others;
    for (const message of others) running().postMessage(message);
    watch();
  }

  /** Counts the time of the batch that is sent now. */
  function watch(): void {
    clearTimeout(late);
    if (sending.length > 0) late = setTimeout(replace, taskMaxMs);
    else settled?.();
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (batch.length === 0) return;
    const message: TracesMessage = { calls: batch, version };
    away += batch.length;
    batch = [];
    sending.push(message);
    running().postMessage(message);
    if (sending.length === 1) watch();
  }

  return {
    takes: () => share === 1 || random() < share,
    ended(call) {
      if (away + batch.length >= waitingMax) {
        dropped += 1;
        return;
      }
      batch.push(call);
      if (batch.length >= batchMax) flush();
      else timer ??= setTimeout(flush, batchMs);
    },
    gauges: gaugesOf({ sent: () => sent, dropped: () => dropped }),
    async close() {
      flush();
      if (away > 0) {
        await Promise.race([
          new Promise<void>((resolve) => {
            settled = resolve;
          }),
          Bun.sleep(closeMaxMs),
        ]);
      }
      clearTimeout(late);
      worker?.terminate();
    },
  };
}

function gaugesOf(counts: {
  readonly sent: () => number;
  readonly dropped: () => number;
}): Gauge[] {
  return [
    {
      name: "tollgate_traces_sent",
      help: "Calls whose traces a collector has taken since the start.",
      read: counts.sent,
    },
    {
      name: "tollgate_traces_dropped",
      help: "Calls whose traces were dropped since the start.",
      read: counts.dropped,
    },
  ];
}
