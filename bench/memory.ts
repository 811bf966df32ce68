/** How much memory the product uses: idle, after many calls, and while many streams are open. */

import { proofOf, requestOf, smallBody, streamBody } from "./cases.ts";
import type { Generator } from "#bench/load/open-generator.ts";
import { rssMiBOf } from "./processes.ts";
import type { Product } from "./product.ts";
import type { MemoryResult } from "./result.ts";
import { expectWhole } from "./sample.ts";
import { median } from "./statistics.ts";

const connections = 64;
const streamCount = 1_000;
/** When memory is read, counted from the start of the streams, which last 200 × 50 ms. */
const streamsOpenMs = 5_000;
const startedMs = 2_000;
const sampleMs = 250;
const callsMaxMs = 600_000;

export async function measureMemory(
  product: Product,
  generator: Generator,
  { calls, restMs }: { readonly calls: number; readonly restMs: number },
): Promise<MemoryResult> {
  const { port, spender, gateway } = product;
  const rssMiB = (): number => rssMiBOf([gateway.pid]);
  await Bun.sleep(startedMs);
  const idleMiB = rssMiB();

  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(rssMiB()), sampleMs);
  const load = await generator.run({
    port,
    request: requestOf(smallBody, spender.key),
    connections,
    durationMs: callsMaxMs,
    callsMax: calls,
    callsPerSecond: 0,
    mustContain: proofOf({ stream: false }),
  });
  clearInterval(sampling);
  expectWhole(load, "memory");
  const afterMiB = rssMiB();
  await Bun.sleep(restMs);
  const restedMiB = rssMiB();

  const streaming = generator.run({
    port,
    request: requestOf(streamBody("bench-open"), spender.key),
    connections: streamCount,
    durationMs: callsMaxMs,
    callsMax: streamCount,
    callsPerSecond: 0,
    mustContain: proofOf({ stream: true }),
  });
  await Bun.sleep(streamsOpenMs);
  const streamsMiB = rssMiB();
  const streams = await streaming;
  expectWhole(streams, "memory, open streams");
  product.count(load.calls + streams.calls);
  return {
    idleMiB,
    calls: load.calls,
    duringMiB: { median: median(samples), most: Math.max(...samples) },
    afterMiB,
    restedMiB,
    streams: streams.calls,
    streamsMiB,
    firstByteMaxMs: streams.firstByteMaxMs,
  };
}
