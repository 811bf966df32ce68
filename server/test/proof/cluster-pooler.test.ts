/**
 * Tests a pooler in transaction mode between the gateway and PostgreSQL, and a database that
 * refuses connections.
 */

import { expect, test } from "bun:test";
import { makeHome, runCommand } from "#test/gateway.ts";
import { eventually } from "./ledger.ts";
import { isWhole, sendChat } from "./chat-call.ts";
import { addPayer, expectSoundBooks, isReady, openCluster, quick } from "./cluster-scene.ts";
import { type Pooling, startPostgresProxy } from "./postgres-proxy.ts";

const testMs = 240_000;

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

        const frozen = proxy.freezeInTransaction();
        const call = send();
        await frozen;
        // Waits for longer than a transaction may be silent, and for less than the time after which
        // a node counts as dead.
        await eventually(
          async () =>
            await cluster.query<{ count: number }>(
              `select count(*)::int as count from pg_stat_activity
               where datname = current_database() and state like 'idle in transaction%'`,
            ),
          ([row]) => row?.count === 0,
          { what: "no transaction is open", maxMs: 5_000 },
        );
        proxy.thaw();
        await call.answer;
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
