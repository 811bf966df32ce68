/**
 * Runs alone: every node is under load, and a share of calls that fail is a claim.
 *
 * The table of faults that several nodes must stand, one test a row. After each, every answer that
 * was whole has exactly one row of its amount, no id has two, nobody has spent more than the balance,
 * nothing stays held, and `tollgate audit` is green (`fault-table.ts`).
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { addToken } from "#test/console.ts";
import { chat } from "#test/proof/chat-call.ts";
import { addPayer, isReady, quick } from "#test/proof/cluster-scene.ts";
import { eventually } from "#test/proof/ledger.ts";
import { isLong } from "#test/proof/size.ts";
import { endConnections, forceDeadlocks } from "./database-faults.ts";
import { type FaultNode, type FaultScene, nodeCount, openFaultScene } from "./fault-table.ts";

const testMs = isLong ? 600_000 : 180_000;

/** How often every node is stopped and started in turn. */
const rollingRounds = isLong ? 20 : 1;

/** How many more of a healthy node's calls may fail once the others know of a fault, as a share. */
const healthyMax = 0.05;

let scene: FaultScene;
beforeAll(async () => {
  scene = await openFaultScene();
}, 240_000);
afterAll(async () => await scene.close(), 60_000);

/** Runs a row: the fault is of the first node, and the others stay healthy. */
function row(
  id: string,
  what: string,
  fault: (first: FaultNode, all: readonly FaultNode[]) => Promise<void>,
  { harms = "one", maxMs = testMs }: { harms?: "all" | "none" | "one"; maxMs?: number } = {},
): void {
  test(
    `${id}: ${what}`,
    async () => {
      const judged = await scene.under(async (nodes) => {
        const [first] = nodes;
        if (first !== undefined) await fault(first, nodes);
      });
      if (harms === "all") return;
      for (let node = harms === "one" ? 1 : 0; node < nodeCount; node += 1) {
        const harm = judged.harmTo(node);
        expect(harm, judged.failuresOf(node)).toBeLessThanOrEqual(healthyMax);
        expect(judged.ofNode[node]?.length).toBeGreaterThan(0);
      }
    },
    maxMs,
  );
}

row("kill", "a node is killed and started again", async (first) => {
  await first.gateway().kill();
  await Bun.sleep(3_000);
  await first.start();
});

for (const ms of isLong ? [5_000, 12_000, 60_000] : [12_000]) {
  row(`stop-${ms}`, `a node stands still for ${ms} ms`, async (first) => {
    process.kill(first.gateway().pid, "SIGSTOP");
    await Bun.sleep(ms);
    process.kill(first.gateway().pid, "SIGCONT");
  });
}

for (const ms of isLong ? [5_000, 30_000, 120_000] : [5_000]) {
  row(
    `freeze-${ms}`,
    `nothing passes between a node and its database for ${ms} ms`,
    async (first) => {
      first.proxy.freeze();
      await Bun.sleep(ms);
      first.proxy.thaw();
    },
  );
}

for (const only of ["answers", "questions"] as const) {
  for (const ms of isLong ? [5_000, 30_000] : [5_000]) {
    const what = only === "answers" ? "the database's answers" : "a node's questions";
    row(`one-way-${only}-${ms}`, `${what} do not arrive for ${ms} ms`, async (first) => {
      first.proxy.freeze(only);
      await Bun.sleep(ms);
      first.proxy.thaw();
    });
  }
}

row("cut", "a node is cut off from the database, and not from its clients", async (first) => {
  first.proxy.goAway();
  await eventually(
    () => isReady(first.origin),
    (ready) => !ready,
    { what: "the node is not ready" },
  );
  await Bun.sleep(isLong ? 30_000 : 3_000);
  await first.proxy.comeBack();
});

for (const ms of isLong ? [3, 20] : [20]) {
  row(
    `delay-${ms}`,
    `the database is ${ms} ms away from a node`,
    async (first) => {
      first.proxy.delayAnswers(ms);
      await Bun.sleep(isLong ? 10_000 : 2_000);
      first.proxy.delayAnswers(0);
    },
    { harms: "none" },
  );
}

row("swallow", "the answers to twelve commits of a node are lost", async (first) => {
  first.proxy.swallowCommits(12);
  await eventually(
    async () => first.proxy.swallowed(),
    (count) => count >= 12,
    { what: "twelve answers are lost" },
  );
});

row(
  "away",
  "the database is away for all nodes",
  async (_, all) => {
    for (const { proxy } of all) proxy.goAway();
    await Bun.sleep(isLong ? 60_000 : 6_000);
    for (const { proxy } of all) await proxy.comeBack();
  },
  { harms: "all" },
);

row(
  "lock",
  "somebody locks the balances",
  async () => {
    const client = await scene.cluster.connect();
    await client.query("begin");
    await client.query("lock table balances in exclusive mode");
    await Bun.sleep(isLong ? 25_000 : 5_000);
    await client.query("rollback");
  },
  { harms: "all" },
);

row(
  "deadlock",
  "somebody locks balances against their order, and PostgreSQL breaks the deadlocks",
  async () => await forceDeadlocks(scene.cluster, isLong ? 20 : 5),
  { harms: "none" },
);

row(
  "backends",
  "all connections of all nodes are ended, ten times",
  async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await endConnections(scene.cluster);
      await Bun.sleep(300);
    }
  },
  { harms: "all" },
);

row(
  "rolling",
  "every node is stopped and started in turn",
  async (_, all) => {
    for (let round = 0; round < rollingRounds; round += 1) {
      for (const node of all) {
        expect(await node.gateway().stop("SIGTERM")).toBe(0);
        await node.start();
      }
    }
  },
  { maxMs: testMs + rollingRounds * nodeCount * 20_000 },
);

test(
  "console: every node follows what the console writes, while it writes much",
  async () => {
    const { place } = scene.cluster;
    // A user each: a node of many shows one user few keys in a minute.
    const keys = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const { client } = (await addPayer(scene.cluster, 1_000)).spender;
        return { client, ...(await addToken(client)) };
      }),
    );
    const statuses = async (key: string): Promise<number[]> =>
      await Promise.all(
        scene.nodes.map(
          async ({ origin }) =>
            (await chat(origin, { key, model: quick.name, stream: false })).status,
        ),
      );
    await Bun.sleep(1_500);
    let writes = 0;
    let isDone = false;
    const writers = Array.from({ length: isLong ? 16 : 6 }, async (_, writer) => {
      while (!isDone) {
        await place.root.call("PUT", "/api/option/", {
          key: "Notice",
          value: `${writer} ${(writes += 1)}`,
        });
      }
    });
    for (const { client, id, key } of keys) {
      expect(await statuses(key)).toEqual(Array.from({ length: nodeCount }, () => 200));
      await client.call("PUT", "/api/token/?status_only=true", { id, status: 2 });
      await eventually(
        async () => await statuses(key),
        (all) => all.every((status) => status === 401),
        { what: "every node refuses the key", maxMs: 10_000 },
      );
    }
    isDone = true;
    await Promise.all(writers);
    expect(writes).toBeGreaterThan(10);
  },
  testMs,
);

test(
  "hot: a balance of ten calls is spent once, on however many nodes 200 calls come at once",
  async () => {
    const payer = await addPayer(scene.cluster, 10);
    const { key } = payer.spender;
    await Bun.sleep(1_500);
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const origin = scene.nodes[at % nodeCount]?.origin ?? "";
        const body = { max_tokens: 3 };
        return await chat(origin, { key, model: quick.name, stream: at % 2 === 0, body });
      }),
    );
    const charged = await scene.cluster.queryBooks<{ quota: string }>(
      "select quota from logs where type = 2 and user_id = $1",
      [payer.spender.client.userId],
    );
    expect(charged.length).toBeLessThanOrEqual(10);
    // What is left is less than a call: nobody was refused although there was enough.
    const left = await eventually(
      async () =>
        await chat(scene.nodes[0]?.origin ?? "", { key, model: quick.name, stream: false }),
      ({ status }) => status !== 200,
      { what: "the balance is spent" },
    );
    expect(left.status).toBe(403);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(10);
  },
  testMs,
);

test(
  "scale: nodes come and go, and never have more connections than their budgets",
  async () => {
    const { cluster } = scene;
    const most = isLong ? 20 : 6;
    const pool = 8;
    const added = [];
    for (let at = nodeCount; at < most; at += 1) {
      added.push(await cluster.addNode({ DATABASE_POOL: String(pool) }));
    }
    const count = async (): Promise<number> => {
      const [found] = await cluster.query<{ count: string }>(
        "select count(*) from pg_stat_activity where datname = current_database() and application_name like 'tollgate%'",
      );
      return Number(found?.count);
    };
    // The first node of the place and those of the table have the usual budget of 12.
    expect(await count()).toBeLessThanOrEqual(12 * (nodeCount + 1) + pool * added.length);
    await Promise.all(added.map(async (node) => expect(await node.stop("SIGINT")).toBe(0)));
    await eventually(
      async () => await cluster.query("select id from nodes"),
      (rows) => rows.length === nodeCount + 1,
      { what: "those that left are gone" },
    );
    expect(await count()).toBeLessThanOrEqual(12 * (nodeCount + 1));
  },
  testMs,
);
