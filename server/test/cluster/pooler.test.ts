/**
 * Tests a pooler in transaction mode between the gateway and PostgreSQL, and a database that
 * refuses connections.
 */

import { expect, test } from "bun:test";
import { signIn } from "#test/console.ts";
import { makeHome, runCommand } from "#test/gateway.ts";
import { eventually } from "#test/proof/ledger.ts";
import { isWhole, sendChat } from "#test/proof/chat-call.ts";
import {
  addPayer,
  type Cluster,
  expectSoundBooks,
  isReady,
  openCluster,
  quick,
} from "#test/proof/cluster-scene.ts";
import { type Pooling, startPostgresProxy } from "#test/proof/postgres-proxy.ts";

const testMs = 240_000;

/** How many reads run at the same time, so that some are always within a transaction. */
const readsAtOnce = 8;

/** Repeats reads until an event or a failure, and returns when all of them have ended. */
async function readUntil(event: Promise<void>, read: () => Promise<void>): Promise<void> {
  let isOver = false;
  void event.then(() => (isOver = true));
  const repeat = async (): Promise<void> => {
    while (!isOver) await read();
  };
  await Promise.allSettled(Array.from({ length: readsAtOnce }, repeat));
}

/**
 * Lists the silent transactions that hold a lock which another node could wait for. One that only
 * reads may be silent for longer, and holds none of these.
 */
async function silentWriters({ query }: Cluster): Promise<unknown[]> {
  return await query(
    `select activity.pid, state, now() - state_change as silence, query,
       array_agg(mode || ' of ' || locktype) as locks
     from pg_stat_activity activity join pg_locks held on held.pid = activity.pid
     where datname = current_database() and state like 'idle in transaction%'
       and locktype <> 'virtualxid' and mode <> 'AccessShareLock'
     group by activity.pid, state, state_change, query`,
  );
}

for (const pooling of ["refuses parameters", "ignores parameters"] satisfies Pooling[]) {
  test(
    `behind a pooler that ${pooling} a node reports it, serves, and keeps no lock when it freezes`,
    async () => {
      const cluster = await openCluster([quick]);
      const url = cluster.place.home.env["DATABASE_URL"] ?? "";
      const proxy = await startPostgresProxy(url, pooling);
      try {
        const node = await cluster.addNode({ DATABASE_URL: proxy.url });
        expect(node.output()).toContain("takes no startup parameters");
        const payer = await addPayer(cluster, 100);
        const { key } = payer.spender;
        const send = () => sendChat(node.origin, { key, model: quick.name, stream: false });
        await eventually(
          () => send().answer,
          (answer) => isWhole(answer, false),
          { what: "the node serves" },
        );
        expect(await isReady(node.origin)).toBe(true);

        const root = await signIn(node.origin);
        const frozen = proxy.freezeInTransaction();
        // Reads are in the midst of their transactions when the node freezes.
        const reads = readUntil(frozen, async () => void (await root.send("GET", "/api/log/?p=1")));
        const call = send();
        await frozen;
        await eventually(
          async () => await silentWriters(cluster),
          (writers) => writers.length === 0,
          { what: "no silent transaction holds a lock" },
        );
        proxy.thaw();
        await call.answer;
        await reads;
        await eventually(
          () => send().answer,
          (answer) => isWhole(answer, false),
          { what: "the node serves again" },
        );
        await expectSoundBooks(cluster, [payer]);
      } finally {
        await cluster.close();
        proxy.stop();
      }
    },
    testMs,
  );
}

test(
  "a database that refuses connections ends the start with one line that says why",
  async () => {
    const home = await makeHome("postgres");
    try {
      const missing = new URL(home.env["DATABASE_URL"] ?? "");
      missing.pathname = "/there_is_none";
      const { code, output } = await runCommand(home, [], {
        DATABASE_URL: missing.href,
        PORT: "0",
      });
      expect(code).toBe(1);
      expect(output.trim().split("\n")).toHaveLength(1);
      expect(output).toContain('database "there_is_none" does not exist');
    } finally {
      await home.remove();
    }
  },
  testMs,
);
