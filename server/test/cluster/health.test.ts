/** Tests that nodes learn from one another that a channel is broken, and that it works again. */

import { afterEach, expect, test } from "bun:test";
import { addChannel } from "#test/console.ts";
import { chat } from "#test/proof/chat-call.ts";
import { addPayer, type Cluster, openCluster } from "#test/proof/cluster-scene.ts";
import { addModels, setOption } from "#test/proof/installation.ts";
import { startRedis } from "./redis-process.ts";

const testMs = 120_000;

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const good = { name: "node-good", script: { events: 3 }, perCall: 100 };
const broken = { name: "node-broken", script: { status: 500 }, perCall: 100 };
const asked = "node-asked";

/** Opens three nodes with a broken channel that is tried before the one that works. */
async function open(env: Readonly<Record<string, string>>) {
  const cluster: Cluster = await openCluster([good, broken]);
  stops.push(cluster.close);
  const { place } = cluster;
  // The first node has started without the settings of a test, so it takes no calls.
  const nodes: string[] = [];
  for (let node = 0; node < 3; node += 1) nodes.push((await cluster.addNode(env)).origin);
  await addModels(place.root, place.demo, [{ name: asked, script: {}, perCall: 100 }]);
  await setOption(place.root, "RetryTimes", "2");
  for (const [model, priority] of [
    [broken.name, 10],
    [good.name, 0],
  ] as const) {
    await addChannel(place.root, {
      base_url: place.demo.url,
      models: asked,
      model_mapping: JSON.stringify({ [asked]: model }),
      priority,
    });
  }
  const { spender } = await addPayer(cluster, 1_000);
  // The other nodes apply a change within a second, and count the nodes every two.
  await Bun.sleep(4_500);
  const call = async (node: number): Promise<number> =>
    (await chat(nodes[node % 3] ?? "", { key: spender.key, model: asked, stream: false })).status;
  const attempts = async (): Promise<number> => {
    const { calls } = await place.demo.account();
    return calls.filter(({ model }) => model === broken.name).length;
  };
  return { cluster, call, attempts };
}

for (const way of ["the database", "Redis"] as const) {
  test(
    `a broken channel costs five attempts over three nodes in all, told by ${way}`,
    async () => {
      const env: Record<string, string> = {};
      if (way === "Redis") {
        const redis = await startRedis();
        stops.push(redis.stop);
        env["REDIS_URL"] = redis.url;
      }
      const { call, attempts, cluster } = await open(env);
      for (let turn = 0; turn < 5; turn += 1) {
        expect(await call(turn)).toBe(200);
        // Longer than the poll takes, which finds what was not heard at once.
        await Bun.sleep(1_500);
      }
      expect(await attempts()).toBe(5);
      for (let turn = 0; turn < 30; turn += 1) expect(await call(turn)).toBe(200);
      expect(await attempts()).toBe(5);
      const told = await cluster.query<{ count: string }>("select count(*) from node_hints");
      if (way === "Redis") expect(told[0]?.count).toBe("0");
      else expect(Number(told[0]?.count)).toBeGreaterThan(0);
    },
    testMs,
  );
}
