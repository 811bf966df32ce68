/** Tests a node that freezes at any moment: how it affects other nodes, and how it returns. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventually } from "#test/proof/ledger.ts";
import { chat, errorOf, isWhole, requestIdOf } from "#test/proof/chat-call.ts";
import {
  addPayer,
  callCharge,
  callsWithTwoRows,
  type Cluster,
  expectSoundBooks,
  heldOf,
  isReady,
  openCluster,
  quick,
  slow,
} from "#test/proof/cluster-scene.ts";
import { startLoad } from "#test/proof/load.ts";
import { startPostgresProxy } from "#test/proof/postgres-proxy.ts";
import { isLong } from "#test/proof/size.ts";
import { addToken } from "#test/console.ts";

const testMs = 240_000;

const seconds = slow(150);

let cluster: Cluster;
beforeEach(async () => {
  cluster = await openCluster([quick, seconds]);
});
afterEach(async () => await cluster.close());

const freezeMs = isLong ? 30_000 : 9_000;

/**
 * The longest a frozen transaction may keep its locks, plus a moment for the transactions that
 * waited.
 */
const locksMaxMs = 4_500;

test(
  `a node that freezes for ${freezeMs} ms with rows locked stops only itself`,
  async () => {
    const { place } = cluster;
    const proxy = await startPostgresProxy(place.home.env["DATABASE_URL"] ?? "");
    const frozen = await cluster.addNode({ DATABASE_URL: proxy.url });
    const payer = await addPayer(cluster, 100_000);
    const callers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const { userId } = payer.spender.client;
        const token = await addToken(payer.spender.client);
        const facts = { userId, tokenId: token.id, key: token.key, charge: callCharge };
        return { name: `f-${index}`, ...facts, model: quick, stream: index % 2 === 0 };
      }),
    );
    await eventually(
      () => chat(frozen.origin, { key: callers[0]?.key ?? "", model: quick.name, stream: false }),
      (answer) => isWhole(answer, false),
      { what: "the second node serves" },
    );
    const freezing = proxy.freezeInTransaction();
    const there = startLoad(frozen.origin, callers.slice(0, 4));
    const here = startLoad(place.origin, callers.slice(4));
    await freezing;
    const from = performance.now();
    const after = async (ms: number): Promise<void> =>
      await Bun.sleep(Math.max(0, from + ms - performance.now()));

    await after(locksMaxMs);
    const first = here.calls.length;
    await eventually(
      () => isReady(frozen.origin),
      (ready) => !ready,
      { what: "the frozen node is not ready" },
    );
    const key = callers[0]?.key ?? "";
    const refused = await chat(frozen.origin, { key, model: quick.name, stream: false });
    expect([refused.status, errorOf(refused)?.code]).toEqual([503, "billing_unavailable"]);
    expect(await isReady(place.origin)).toBe(true);
    await after(freezeMs);
    // While the rows are locked, no call of this user is served. On a busy machine a few calls fail
    // even without the lock, because they wait longer for their hold than the relay allows.
    const outcomes = () =>
      here.calls.slice(first).flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
    await eventually(
      async () => outcomes().map(({ whole, status }) => (whole ? "whole" : status)),
      (all) => all.filter((one) => one === "whole").length > 20,
      { what: "the other node serves", maxMs: 60_000 },
    );
    await here.stop();

    proxy.thaw();
    await there.stop();
    await eventually(
      () => isReady(frozen.origin),
      (ready) => ready,
      { what: "the node comes back" },
    );
    await eventually(
      () => heldOf(cluster, payer.spender.client.userId),
      (held) => held === 0,
      { what: "everything that was held is free again" },
    );
    await expectSoundBooks(cluster, [payer]);
    proxy.stop();
  },
  testMs,
);

test(
  "a node that was taken for dead charges no call that was reported as free",
  async () => {
    const { place } = cluster;
    const node = await cluster.addNode();
    const payer = await addPayer(cluster, 100);
    const { key } = payer.spender;
    await eventually(
      () => chat(node.origin, { key, model: quick.name, stream: false }),
      (answer) => isWhole(answer, false),
      { what: "the second node serves" },
    );
    // The calls take equally long, so that all of them are still running when the node freezes.
    const running = Array.from({ length: 6 }, (_, index) =>
      chat(node.origin, { key, model: seconds.name, stream: index % 2 === 0 }),
    );
    const { userId } = payer.spender.client;
    await eventually(
      () => heldOf(cluster, userId),
      (held) => held === 6 * callCharge,
      { what: "calls that run are held" },
    );
    await Bun.sleep(500);
    process.kill(node.pid, "SIGSTOP");
    const toldFree = await eventually(
      async () =>
        await cluster.query<{ request_id: string }>("select request_id from logs where type = 5"),
      (rows) => rows.length === 6,
      { what: "the other node logs them as interrupted, not charged", maxMs: 60_000 },
    );
    expect(await heldOf(cluster, userId)).toBe(0);
    if (isLong) await Bun.sleep(45_000);
    process.kill(node.pid, "SIGCONT");
    const answers = await Promise.all(running);
    expect(answers.map(requestIdOf).toSorted()).toEqual(
      toldFree.map(({ request_id }) => request_id).toSorted(),
    );
    const back = await eventually(
      () => chat(node.origin, { key, model: quick.name, stream: false }),
      (answer) => isWhole(answer, false),
      { what: "the node serves again" },
    );
    const charged = await cluster.queryBooks<{ request_id: string }>(
      "select request_id from logs where type = 2 order by id",
    );
    expect(charged).toHaveLength(2);
    expect(charged.at(-1)?.request_id).toBe(requestIdOf(back));
    expect(await callsWithTwoRows(cluster)).toEqual([]);
    expect(await heldOf(cluster, userId)).toBe(0);
    await expectSoundBooks(cluster, [payer]);
    expect(await isReady(place.origin)).toBe(true);
  },
  testMs,
);

const cutMs = isLong ? 40_000 : 7_000;

test(
  `a node whose connections are cut for ${cutMs} ms fails alone, and heals`,
  async () => {
    const { place } = cluster;
    const proxy = await startPostgresProxy(place.home.env["DATABASE_URL"] ?? "");
    const node = await cluster.addNode({ DATABASE_URL: proxy.url });
    const payer = await addPayer(cluster, 100_000);
    const { key } = payer.spender;
    const call = async (origin: string) =>
      await chat(origin, { key, model: quick.name, stream: true });
    await eventually(
      () => call(node.origin),
      (answer) => isWhole(answer, true),
      { what: "the second node serves" },
    );
    proxy.goAway();
    const endMs = performance.now() + cutMs;
    let served = 0;
    while (performance.now() < endMs || served <= 20) {
      expect(isWhole(await call(place.origin), true)).toBe(true);
      served += 1;
    }
    expect((await call(node.origin)).status).toBe(503);
    expect(await isReady(node.origin)).toBe(false);
    await proxy.comeBack();
    await eventually(
      () => isReady(node.origin),
      (ready) => ready,
      { what: "the node is ready" },
    );
    await eventually(
      () => call(node.origin),
      (answer) => isWhole(answer, true),
      { what: "the node serves" },
    );
    await expectSoundBooks(cluster, [payer]);
    proxy.stop();
  },
  testMs,
);
