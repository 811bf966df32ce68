/** Tests that limits hold over several nodes, whichever of them a caller reaches. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { chat } from "#test/proof/chat-call.ts";
import { addPayer, type Cluster, isReady, openCluster, quick } from "#test/proof/cluster-scene.ts";
import { eventually } from "#test/proof/ledger.ts";

const testMs = 120_000;

const held = { name: "node-held", script: { events: 20, hold: 10 }, perCall: 100 };

let cluster: Cluster;
let nodes: string[] = [];
beforeEach(async () => {
  cluster = await openCluster([quick, held]);
  nodes = [cluster.place.origin];
  for (let more = 0; more < 2; more += 1) nodes.push((await cluster.addNode()).origin);
  // Each node counts the others every 2 s; what follows needs all of them to have counted three.
  await Bun.sleep(4_500);
});
afterEach(async () => await cluster.close());

async function setOptions(options: Readonly<Record<string, string>>): Promise<void> {
  const { root } = cluster.place;
  for (const [key, value] of Object.entries(options)) {
    await root.call("PUT", "/api/option/", { key, value });
  }
  // The other nodes apply a change within a second.
  await Bun.sleep(1_500);
}

/** Sends requests that go round the nodes. @returns how many were answered with each status. */
async function round(
  count: number,
  send: (origin: string) => Promise<number>,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let at = 0; at < count; at += 1) {
    const status = await send(nodes[at % nodes.length] ?? "");
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

async function signInWrongly(origin: string): Promise<number> {
  const response = await fetch(`${origin}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "root", password: "not the password" }),
  });
  return response.status;
}

test(
  "ten calls a minute are at most ten on three nodes, and wrong passwords are counted exactly",
  async () => {
    await setOptions({
      ModelRequestRateLimitEnabled: "true",
      ModelRequestRateLimitDurationMinutes: "1",
      ModelRequestRateLimitCount: "10",
      ModelRequestRateLimitSuccessCount: "1000",
    });
    const { spender } = await addPayer(cluster, 100);
    await Bun.sleep(1_500);
    const calls = await round(30, async (origin) => {
      const { status } = await chat(origin, { key: spender.key, model: quick.name, stream: false });
      return status;
    });
    // One node's part is 3, and a node that starts or leaves may move it by one part.
    expect(calls[200]).toBeGreaterThanOrEqual(7);
    expect(calls[200]).toBeLessThanOrEqual(10);
    expect(calls[429]).toBe(30 - (calls[200] ?? 0));

    const unknown = await round(90, async (origin) => {
      const response = await fetch(`${origin}/v1/models`, {
        headers: { authorization: `Bearer sk-${"x".repeat(48)}` },
      });
      await response.body?.cancel();
      return response.status;
    });
    expect(unknown).toEqual({ 401: 60, 429: 30 });

    const wrong = await round(12, signInWrongly);
    expect(wrong[429]).toBe(7);
  },
  testMs,
);

test(
  "calls at once of a user are limited over all nodes",
  async () => {
    await setOptions({ CallsAtOncePerUserMax: "6" });
    const { spender } = await addPayer(cluster, 100);
    await Bun.sleep(1_500);
    const { key } = spender;
    const running = Array.from({ length: 15 }, (_, at) =>
      chat(nodes[at % 3] ?? "", { key, model: held.name, stream: true }),
    );
    const refused: number[] = [];
    for (const call of running) void call.then(({ status }) => refused.push(status));
    await eventually(
      async () => refused.length,
      (count) => count === 9,
      { what: "nine of fifteen calls are refused" },
    );
    expect(refused).toEqual(Array.from({ length: 9 }, () => 429));
    await cluster.place.demo.release(held.name);
  },
  testMs,
);

test(
  "a node that shuts down has no part of a limit any more while it still answers",
  async () => {
    const leaving = await cluster.addNode({});
    await eventually(
      async () => await cluster.query("select id from nodes where draining = 0"),
      (rows) => rows.length === 4,
      { what: "four nodes share the database" },
    );
    const stopped = leaving.stop("SIGTERM");
    await eventually(
      async () => await cluster.query("select id from nodes where draining = 1"),
      (rows) => rows.length === 1,
      { what: "the node says that it leaves" },
    );
    expect(await isReady(leaving.origin)).toBe(false);
    await stopped;
  },
  testMs,
);
