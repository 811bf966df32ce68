/**
 * Tests nodes whose clocks differ, and a store that stalls: no node may count as dead, and no hold
 * may be released.
 */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { eventually } from "#test/proof/ledger.ts";
import { chat, isWhole } from "#test/proof/chat-call.ts";
import {
  addPayer,
  callCharge,
  type Cluster,
  expectSoundBooks,
  heldOf,
  isReady,
  openCluster,
  quick,
  slow,
} from "#test/proof/cluster-scene.ts";
import { lastCallId } from "#test/proof/demo-process.ts";
import { isLong } from "#test/proof/size.ts";

const testMs = 240_000;

const stallMs = isLong ? 25_000 : 12_000;

/** Models whose answers are not whole before the test releases them. */
const held = { script: { events: 20, hold: 10 }, perCall: callCharge } as const;
const patient = { name: "node-patient", ...held };
const sixSeconds = slow(300);

/**
 * How long a node with a running call is watched: longer than the silence after which a node counts
 * as dead.
 */
const watchedMs = 13_000;
const watched = { name: "node-watched", ...held };

let cluster: Cluster;
beforeEach(async () => {
  cluster = await openCluster([quick, patient, sixSeconds, watched]);
});
afterEach(async () => await cluster.close());

/** Waits until every node knows the key, which was made at the first one. */
async function untilKnown(key: string, origins: readonly string[]): Promise<void> {
  for (const origin of origins) {
    await eventually(
      () => fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } }),
      ({ status }) => status === 200,
      { what: `${origin} knows the key` },
    );
  }
}

test(
  `a table locked for ${stallMs} ms makes no node release another node's holds`,
  async () => {
    const { place } = cluster;
    const nodes = [
      place.origin,
      (await cluster.addNode()).origin,
      (await cluster.addNode()).origin,
    ];
    const payer = await addPayer(cluster, 6);
    const { key, client } = payer.spender;
    await untilKnown(key, nodes);
    const before = await lastCallId(place.demo);
    const wave = () =>
      Array.from({ length: 6 }, (_, index) =>
        chat(nodes[index % 3] ?? "", { key, model: patient.name, stream: true }),
      );
    const first = wave();
    await eventually(
      () => heldOf(cluster, client.userId),
      (held) => held === 6 * callCharge,
      { what: "the first calls are held" },
    );
    const locker = await cluster.connect();
    await locker.query("begin; lock table balances in access exclusive mode");
    const endMs = performance.now() + stallMs;
    // The lock on the balances blocks the first calls, and every later write of the store waits
    // behind them.
    const turnedAway = await Promise.all(
      nodes.map((origin) => chat(origin, { key, model: quick.name, stream: false })),
    );
    expect(turnedAway.map(({ status }) => status)).toEqual([503, 503, 503]);
    await Bun.sleep(endMs - performance.now());
    await locker.query("commit");
    expect(await heldOf(cluster, client.userId)).toBe(6 * callCharge);
    const second = await Promise.all(wave());
    expect(second.map(({ status }) => status)).toEqual(Array(6).fill(403));
    await place.demo.release(patient.name);
    await Promise.all(first);
    await eventually(
      async () => await cluster.query("select 1 from logs where type = 2"),
      (rows) => rows.length === 6,
      { what: "every call is charged" },
    );
    const { calls } = await place.demo.account(before);
    expect(calls).toHaveLength(6);
    expect(
      await cluster.queryBooks("select 1 from logs where type <> 2 and quota + write_off > 0"),
    ).toEqual([]);
    await expectSoundBooks(cluster, [payer]);
  },
  testMs,
);

const shiftedBy = (ms: number, jumps = false) => ({
  BUN_OPTIONS: `--preload ${join(import.meta.dir, "../proof/shifted-clock.ts")}`,
  SHIFTED_CLOCK_MS: String(ms),
  SHIFTED_CLOCK_JUMPS: jumps ? "1" : "",
});

test.each(isLong ? [5_000, 20_000, 3_600_000] : [3_600_000])(
  "clocks %d ms ahead, behind and jumping make no node release another node's holds",
  async (ms) => {
    const { place } = cluster;
    const shifted = [
      await cluster.addNode(shiftedBy(ms)),
      await cluster.addNode(shiftedBy(-ms)),
      await cluster.addNode(shiftedBy(ms, true)),
    ];
    const payer = await addPayer(cluster, 6);
    const { key, client } = payer.spender;
    const origins = [place.origin, ...shifted.map(({ origin }) => origin)];
    await untilKnown(key, origins);
    const running = Array.from({ length: 6 }, (_, index) =>
      chat(origins[index % 4] ?? "", { key, model: watched.name, stream: true }),
    );
    await eventually(
      () => heldOf(cluster, client.userId),
      (held) => held === 6 * callCharge,
      { what: "the calls are held" },
    );
    const endMs = performance.now() + watchedMs;
    while (performance.now() < endMs) {
      expect(await heldOf(cluster, client.userId)).toBe(6 * callCharge);
      await Bun.sleep(100);
    }
    await place.demo.release(watched.name);
    const answers = await Promise.all(running);
    expect(answers.filter((answer) => !isWhole(answer, true))).toEqual([]);
    const rows = await cluster.queryBooks<{ type: string; quota: string }>(
      "select type, quota from logs where type in (2, 5)",
    );
    expect(rows.map(({ type, quota }) => [Number(type), Number(quota)])).toEqual(
      Array(6).fill([2, callCharge]),
    );
    await expectSoundBooks(cluster, [payer]);
  },
  testMs,
);

const awayMs = isLong ? 12_000 : 3_000;

test(
  `after a restart of the server that takes ${awayMs} ms no node counts as dead`,
  async () => {
    const { place } = cluster;
    const node = await cluster.addNode();
    const payer = await addPayer(cluster, 1_000);
    const { key, client } = payer.spender;
    const origins = [place.origin, node.origin];
    await untilKnown(key, origins);
    const running = origins.map((origin) =>
      chat(origin, { key, model: sixSeconds.name, stream: true }),
    );
    await eventually(
      () => heldOf(cluster, client.userId),
      (held) => held === 2 * callCharge,
      { what: "the calls are held" },
    );
    const [database] = await cluster.query<{ name: string }>("select current_database() as name");
    const name = database?.name ?? "";
    const server = await cluster.connectServer();
    await server.query(`alter database ${name} with allow_connections false`);
    await server.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1",
      [name],
    );
    await Bun.sleep(awayMs);
    await server.query(`alter database ${name} with allow_connections true`);
    for (const origin of origins) {
      await eventually(
        () => isReady(origin),
        (ready) => ready,
        { what: "ready after the server is back" },
      );
    }
    const answers = await Promise.all(running);
    expect(answers.filter((answer) => !isWhole(answer, true))).toEqual([]);
    const again = await Promise.all(
      origins.map((origin) => chat(origin, { key, model: quick.name, stream: true })),
    );
    expect(again.filter((answer) => !isWhole(answer, true))).toEqual([]);
    await expectSoundBooks(cluster, [payer]);
  },
  testMs,
);
