/** Runs alone: it keeps a core busy on purpose. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLogger } from "#base/logger.ts";
import { readConfig } from "#config.ts";
import { type Running, start } from "#start.ts";

/** The gateway runs in the process of the test, so that the test can block the gateway's thread. */
let gateway: Running;
const dataDir = mkdtempSync(join(tmpdir(), "tollgate-shedding-"));
beforeAll(async () => {
  const config = readConfig({ PORT: "0", TOLLGATE_DATA_DIR: dataDir });
  gateway = await start(config, openLogger("silent"));
});
afterAll(async () => {
  await gateway.stop(0);
  rmSync(dataDir, { recursive: true });
});

const statuses = async (): Promise<number[]> =>
  await Promise.all(
    Array.from({ length: 40 }, async () => (await fetch(`${gateway.origin}/v1/models`)).status),
  );

/**
 * How long the test blocks the thread each time: far longer than a process may lag, and twice as
 * long as a burst may take.
 */
const lateMs = 200;
const lateTimes = 24;

test("P-L1: while the process cannot keep up, it refuses calls at once, and serves again after", async () => {
  // The calls have no key, so a call that is served answers 401, and one that is shed 503.
  expect(await statuses()).toEqual(Array.from({ length: 40 }, () => 401));

  for (let count = 0; count < lateTimes; count += 1) {
    const untilMs = performance.now() + lateMs;
    while (performance.now() < untilMs);
    // Lets the gateway's timers notice the delay.
    await Bun.sleep(1);
  }
  const refused = (await statuses()).filter((status) => status === 503).length;
  expect(refused).toBeGreaterThan(20);

  const endMs = performance.now() + 20_000;
  let late = await statuses();
  while (late.includes(503) && performance.now() < endMs) {
    await Bun.sleep(100);
    late = await statuses();
  }
  expect(late).not.toContain(503);
}, 60_000);
