import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untilApplied } from "#test/applied.ts";
import { runCommand } from "#test/gateway.ts";
import { balanceOf, eventually, readLogs, readSelf, sumOf } from "./ledger.ts";
import { chat, errorOf, isWhole, requestIdOf } from "./chat-call.ts";
import { readLeftovers } from "./database-after.ts";
import { lockDatabase } from "./database-lock.ts";
import { lastCallId, untilCalled } from "./demo-process.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import type { RawAnswer } from "./raw-call.ts";
import { isLong } from "./size.ts";
import { fillDisk, mountSmallDisk, unmountSmallDisk } from "./small-disk.ts";

const opening = 1_000_000;

/** A call costs (17 + 20 × 3) × 2 = 154 quota units. */
const prices = { ratio: 2, completionRatio: 3 };
const quick = { name: "store-quick", script: { promptTokens: 17, events: 20 }, ...prices };
const slow = { ...quick, name: "store-slow", script: { ...quick.script, eventDelayMs: 100 } };
const charge = 154;

let place: Installation;
let spender: Spender;

async function call(model: string, stream: boolean): Promise<RawAnswer> {
  return await chat(place.origin, { key: spender.key, model, stream });
}

/** Checks that exactly these answers were charged. */
async function expectCharged(answers: readonly RawAnswer[]): Promise<void> {
  const rows = await readLogs(place.root, { type: 2 });
  expect(rows.map(({ request_id }) => request_id).toSorted()).toEqual(
    answers.map(requestIdOf).toSorted(),
  );
  expect(rows.every(({ quota }) => quota === charge)).toBe(true);
  expect(await balanceOf(spender.client)).toBe(opening - sumOf(rows));
}

async function stopAndAudit(): Promise<void> {
  expect(await place.gateway().stop("SIGINT")).toBe(0);
  expect(await readLeftovers(place.home)).toEqual([]);
  const audit = await runCommand(place.home, ["audit"]);
  expect(audit.code, audit.output).toBe(0);
}

/** How long another process keeps the database locked, at least. */
const lockedMs = isLong ? 60_000 : 5_000;

describe(`P-R4: the database is locked for ${lockedMs} ms by another process`, () => {
  beforeAll(async () => {
    place = await openInstallation("sqlite", { models: [quick, slow] });
    spender = await addSpender(place, opening);
  });
  afterAll(async () => await place.close());

  test("running streams finish, new calls get 503, nothing is lost or charged twice", async () => {
    const first = await call(quick.name, false);
    expect(isWhole(first, false)).toBe(true);
    const afterId = await lastCallId(place.demo);
    const running = Array.from({ length: 10 }, () => call(slow.name, true));
    await untilCalled(place.demo, { count: running.length, afterId });
    const lock = await lockDatabase(place.home, lockedMs);

    const begun = await streamsUntilRefused();
    const refused = await Promise.all([call(quick.name, true), call(quick.name, false)]);
    // The lock was still held after these answers, so they were refused because of it.
    expect(lock.isHeld()).toBe(true);
    for (const answer of refused) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(errorOf(answer)?.code).toBe("billing_unavailable");
    }
    // Reading still works while the database is locked.
    expect((await readSelf(spender.client)).quota).toBeLessThan(opening);
    expect((await fetch(`${place.origin}/healthz`)).status).toBe(200);
    await lock.release();

    const late = await Promise.all(begun);
    const served = late.filter(({ status }) => status !== 503);
    const finished = [...(await Promise.all(running)), ...served];
    for (const answer of finished) {
      // A stream ends with an error when the store has not committed for 10 s. What the stream has
      // used is charged all the same.
      const isTold = lockedMs > 10_000 && errorOf(answer) !== undefined;
      expect(isTold || isWhole(answer, true), answer.text.slice(-300)).toBe(true);
    }
    const last = await eventually(
      () => call(quick.name, true),
      (answer) => isWhole(answer, true),
      {
        what: "a call after the lock",
      },
    );
    await expectCharged([first, ...finished, last]);
    await stopAndAudit();
  });
});

/**
 * How long to watch a stream for a refusal. An undisturbed stream has ended by then, and one that
 * waits for its hold has been refused.
 */
const lookMs = 5_000;

/** Starts streams until one is refused because of the lock. @returns all of them. */
async function streamsUntilRefused(): Promise<Promise<RawAnswer>[]> {
  const begun: Promise<RawAnswer>[] = [];
  await eventually(
    async () => {
      const stream = call(slow.name, true);
      begun.push(stream);
      return (await Promise.race([stream, Bun.sleep(lookMs)]))?.status;
    },
    (status) => status === 503,
    { what: "a refusal while the database is locked" },
  );
  return begun;
}

describe("P-R3: the disk is full", () => {
  const mounted: string[] = [];
  afterEach(async () => {
    await place.close();
    for (const folder of mounted.splice(0)) unmountSmallDisk(folder);
  });

  test("calls are refused, reading works, and it heals by itself", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-disk-"));
    mountSmallDisk(folder, 24);
    mounted.push(folder);
    place = await openInstallation("sqlite", { models: [quick, slow], parent: folder });
    spender = await addSpender(place, opening);
    const first = await call(quick.name, false);
    expect(isWhole(first, false)).toBe(true);
    // While the store does not commit, the console shows the books as they are.
    await untilApplied(place.origin);

    const answered: RawAnswer[] = [first];
    for (let round = 0; round < fillings; round += 1) {
      answered.push(...(await fillAndFree(folder)));
    }
    // The settlement of the call that met the full disk has waited for space. It is committed now,
    // although the client got an error.
    const rows = await readLogs(place.root, { type: 2 });
    const ids = rows.map(({ request_id }) => request_id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const answer of answered) expect(ids).toContain(requestIdOf(answer));
    expect(rows.every(({ quota }) => quota === charge)).toBe(true);
    expect(await balanceOf(spender.client)).toBe(opening - sumOf(rows));
    await stopAndAudit();
  }, 900_000);
});

const fillings = isLong ? 20 : 1;

/** Fills the disk until calls are refused, then frees it. @returns the whole answers. */
async function fillAndFree(folder: string): Promise<RawAnswer[]> {
  const filler = fillDisk(folder);
  // The full disk takes no further hold, so from the next call on, calls that cost money are
  // refused.
  const during: RawAnswer[] = [];
  const refused = await eventually(
    async () => {
      const answer = await call(quick.name, false);
      if (isWhole(answer, false)) during.push(answer);
      return answer;
    },
    // All calls are refused from now on. The call that met the full disk gets an error too, but its
    // settlement waits for space.
    ({ status, headers }) => status === 503 && headers.has("retry-after"),
    { what: "a call with a full disk" },
  );
  expect(errorOf(refused)?.code).toBe("billing_unavailable");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await call(quick.name, true)).status).toBe(503);
  expect((await readSelf(spender.client)).quota).toBeLessThan(opening);
  expect((await readLogs(place.root, { type: 2 })).length).toBeGreaterThan(0);

  rmSync(filler);
  const healed = await eventually(
    () => call(quick.name, true),
    (answer) => isWhole(answer, true),
    { what: "a call once there is space", maxMs: 30_000 },
  );
  return [...during, healed];
}
