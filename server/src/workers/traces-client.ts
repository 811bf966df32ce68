/**
 * Hands traced calls to the thread that sends them to a collector. What waits is bounded: while the
 * collector is slow or away, calls are dropped from the traces and counted, and nothing else
 * notices.
 */

import type { Gauge } from "#base/gauge.ts";
import type { TracedCall } from "#canonical/call-trace.ts";
import { type LineTask, openTaskLine } from "./task-line.ts";

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
  /** Calls that are with the thread. */
  let away = 0;
  let sent = 0;
  let dropped = 0;
  let settled: (() => void) | undefined;
  const line = openTaskLine<LineTask, SentMessage>({
    start,
    maxMs: { first: taskMaxMs, later: taskMaxMs },
    onAnswer(_, { count, isSent }) {
      away -= count;
      if (isSent) sent += count;
      else dropped += count;
    },
    onIdle: () => settled?.(),
  });

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (batch.length === 0) return;
    const message: TracesMessage = { calls: batch, version };
    const { length } = batch;
    away += length;
    batch = [];
    line.add({
      send: (to) => to.postMessage(message),
      fail() {
        away -= length;
        dropped += length;
      },
      again: () => true,
    });
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
      line.close();
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
