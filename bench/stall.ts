/**
 * Measures the event-loop lag of the relaying thread from outside: `GET /healthz` needs only that
 * thread, so it waits as long as any other work there would. A probe is due every 2 ms, and its
 * time counts from that moment, so that a stall shows in full.
 */

import { proofOf, requestOf, smallBody } from "./cases.ts";
import type { Contender } from "./contenders.ts";
import type { Latency } from "#bench/load/load-job.ts";
import type { Generator } from "#bench/load/open-generator.ts";
import type { StallResult } from "./result.ts";
import { expectWhole } from "./sample.ts";

const probesPerSecond = 500;
/**
 * Rate of the calls beside the probes. Each adds a charge and a log row. Two cores can carry many
 * more.
 */
const callsPerSecond = 500;
const connections = 64;
/** The load begins this long before the probes and ends this long after them. */
const marginMs = 300;

type StallBench = {
  readonly product: Contender;
  readonly nginx: Contender | null;
  readonly caller: Generator;
  readonly prober: Generator;
  readonly durationMs: number;
};

export async function measureStall(bench: StallBench): Promise<StallResult> {
  const { product, nginx } = bench;
  await probe(bench, product, marginMs);
  const idle = await probe(bench, product, bench.durationMs);
  const busy = await probeBusy(bench, product);
  const control = nginx === null ? null : await probeBusy(bench, nginx);
  return { callsPerSecond, idle, busy, control };
}

async function probeBusy(bench: StallBench, contender: Contender): Promise<Latency> {
  const calling = bench.caller.run({
    port: contender.port,
    request: requestOf(smallBody, contender.key),
    connections,
    durationMs: bench.durationMs + 2 * marginMs,
    callsMax: 0,
    callsPerSecond,
    mustContain: proofOf({ stream: false }),
  });
  await Bun.sleep(marginMs);
  const latency = await probe(bench, contender, bench.durationMs);
  const load = await calling;
  expectWhole(load, `stall on ${contender.name}`);
  contender.count(load.calls);
  return latency;
}

async function probe(
  { prober }: StallBench,
  { port, name }: Contender,
  durationMs: number,
): Promise<Latency> {
  const load = await prober.run({
    port,
    request: "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
    connections: 1,
    durationMs,
    callsMax: 0,
    callsPerSecond: probesPerSecond,
    mustContain: "ok",
  });
  expectWhole(load, `/healthz of ${name}`);
  return load.latency;
}
