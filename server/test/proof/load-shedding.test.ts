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

/** How many calls at once can be an overload, and how many are too few to be one. */
const crowd = 200;
const few = 40;

const statuses = async (calls: number): Promise<number[]> =>
  await Promise.all(
    Array.from({ length: calls }, async () => (await fetch(`${gateway.origin}/v1/models`)).status),
  );

/** How long the test keeps the thread busy in each round: several times what a round may take. */
const busyMs = 50;
const waitMaxMs = 20_000;

/** Keeps the thread busy in every round of its event loop, until the result is called. */
function keepBusy(): () => void {
  let isOver = false;
  const work = (): void => {
    const untilMs = performance.now() + busyMs;
    while (performance.now() < untilMs);
    if (!isOver) setImmediate(work);
  };
  setImmediate(work);
  return () => {
    isOver = true;
  };
}

/** Sends this many calls at once, again and again, until the answers are as wanted. */
async function callUntil(
  calls: number,
  isThere: (statuses: readonly number[]) => boolean,
): Promise<void> {
  const endMs = performance.now() + waitMaxMs;
  for (;;) {
    const answers = await statuses(calls);
    if (isThere(answers)) return;
    if (performance.now() > endMs) throw new Error(`the last answers were ${answers.join(" ")}`);
  }
}

test("P-L1: while calls wait too long, some are refused at once, and all are served again after", async () => {
  // The calls have no key, so a call that is served answers 401, and one that is shed 503.
  expect(await statuses(few)).toEqual(Array.from({ length: few }, () => 401));

  const stop = keepBusy();
  await callUntil(crowd, (answers) => answers.filter((status) => status === 503).length > 4);
  stop();
  await callUntil(few, (answers) => !answers.includes(503));
});
