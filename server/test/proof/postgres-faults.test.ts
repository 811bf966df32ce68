import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { runCommand } from "#test/gateway.ts";
import { balanceOf, eventually, readLogs, sumOf } from "./ledger.ts";
import { chat, errorOf, isWhole, requestIdOf } from "./chat-call.ts";
import { readLeftovers } from "./database-after.ts";
import { lastCallId, untilCalled } from "./demo-process.ts";
import { addSpender, type Installation, openInstallation, type Spender } from "./installation.ts";
import { type PostgresProxy, startPostgresProxy } from "./postgres-proxy.ts";
import type { RawAnswer } from "./raw-call.ts";
import { isLong } from "./size.ts";

const opening = 10_000_000;

/** A call costs (17 + 20 × 3) × 2 = 154 quota units. */
const prices = { ratio: 2, completionRatio: 3 };
const quick = { name: "pg-quick", script: { promptTokens: 17, events: 20 }, ...prices };
const slow = { ...quick, name: "pg-slow", script: { ...quick.script, eventDelayMs: 100 } };
const charge = 154;

let place: Installation;
let spender: Spender;
let proxy: PostgresProxy;

beforeEach(async () => {
  const started = Promise.withResolvers<PostgresProxy>();
  place = await openInstallation("postgres", {
    models: [quick, slow],
    through: async (url) => {
      const opened = await startPostgresProxy(url);
      started.resolve(opened);
      return opened.url;
    },
  });
  proxy = await started.promise;
  spender = await addSpender(place, opening);
});
afterEach(async () => {
  await place.close();
  proxy.stop();
});

async function call(model: string, stream: boolean): Promise<RawAnswer> {
  return await chat(place.origin, { key: spender.key, model, stream });
}

/**
 * Checks that exactly the calls with these answers were charged, once each, and that the balance
 * agrees.
 */
async function expectLedger(answers: readonly RawAnswer[]): Promise<void> {
  const rows = await readLogs(place.root, { type: 2 });
  const ids = rows.map(({ request_id }) => request_id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const answer of answers) expect(ids).toContain(requestIdOf(answer));
  expect(rows.every(({ quota }) => quota === charge)).toBe(true);
  expect(await balanceOf(spender.client)).toBe(opening - sumOf(rows));
  expect(await place.gateway().stop("SIGINT")).toBe(0);
  expect(await readLeftovers(place.home)).toEqual([]);
  const audit = await runCommand(place.home, ["audit"]);
  expect(audit.code, audit.output).toBe(0);
}

const awayMs = isLong ? 60_000 : 4_000;

describe("P-R5: PostgreSQL goes away", () => {
  test(`for ${awayMs} ms: running streams are charged once, new calls get 503, it heals by itself`, async () => {
    expect(isWhole(await call(quick.name, false), false)).toBe(true);
    const afterId = await lastCallId(place.demo);
    const running = Array.from({ length: 10 }, () => call(slow.name, true));
    await untilCalled(place.demo, { count: running.length, afterId });
    proxy.goAway();
    const from = Date.now();
    const refused = await eventually(
      () => call(quick.name, true),
      (answer) => answer.status === 503,
      { what: "a call without a database" },
    );
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await fetch(`${place.origin}/healthz`)).status).toBe(200);
    await Bun.sleep(Math.max(0, from + awayMs - Date.now()));
    await proxy.comeBack();

    const finished = await Promise.all(running);
    for (const answer of finished) {
      const isTold = errorOf(answer) !== undefined;
      expect(isTold || isWhole(answer, true), answer.text.slice(-300)).toBe(true);
    }
    const healed = await eventually(
      () => call(quick.name, true),
      (answer) => isWhole(answer, true),
      { what: "a call after PostgreSQL is back", maxMs: 30_000 },
    );
    await eventually(
      async () => (await readLogs(place.root, { type: 2 })).length,
      (count) => count >= 12,
      { what: "charges of the streams that ran", maxMs: 30_000 },
    );
    await expectLedger([...finished, healed]);
  }, 240_000);

  const losses = isLong ? 50 : 5;

  test(`in the moment of ${losses} commits: what was committed is not committed again, and nothing is lost`, async () => {
    const answers: RawAnswer[] = [];
    for (let loss = 1; loss <= losses; loss += 1) {
      // Makes several calls at the same time, so that a batch is being committed when the
      // connection breaks.
      const afterId = await lastCallId(place.demo);
      const running = Array.from({ length: 4 }, () => call(slow.name, true));
      await untilCalled(place.demo, { count: running.length, afterId });
      proxy.swallowCommits(1);
      await eventually(
        async () => proxy.swallowed(),
        (count) => count === loss,
        {
          what: "swallowed commits",
        },
      );
      answers.push(...(await Promise.all(running)));
      const after = await eventually(
        () => call(quick.name, false),
        (answer) => isWhole(answer, false),
        { what: "a call after the lost commit", maxMs: 30_000 },
      );
      answers.push(after);
    }
    // A call whose hold was lost with the connection is refused and costs nothing.
    await expectLedger(answers.filter((answer) => answer.status === 200));
  }, 600_000);
});
