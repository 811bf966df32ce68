/** Tests what nodes do when PostgreSQL has too few connections for them. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { Client } from "pg";
import { chat } from "#test/proof/chat-call.ts";
import { addPayer, type Cluster, openCluster, quick } from "#test/proof/cluster-scene.ts";
import type { PostgresProxy } from "#test/proof/postgres-proxy.ts";

const testMs = 120_000;

let cluster: Cluster;
let role = "";
let roleUrl = "";
let serverUrl = "";
beforeEach(async () => {
  cluster = await openCluster([quick], asRole);
});
afterEach(async () => {
  await cluster.close();
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`drop role ${role}`);
  await client.end();
});

/** Lets the gateways use a role of their own: superusers have no limit of connections. */
async function asRole(direct: string) {
  role = `role_${crypto.randomUUID().slice(0, 8)}`;
  const client = new Client({ connectionString: direct });
  await client.connect();
  await client.query(`create role ${role} login password '${role}'`);
  for (const what of [
    "schema public",
    "all tables in schema public",
    "all sequences in schema public",
  ]) {
    await client.query(`grant all on ${what} to ${role}`);
  }
  await client.end();
  serverUrl = Object.assign(new URL(direct), { pathname: "/postgres" }).href;
  roleUrl = Object.assign(new URL(direct), { username: role, password: role }).href;
  const nothing = (): void => {};
  // Safe cast: nothing else of a proxy is asked for here.
  return { url: roleUrl, stop: nothing } as PostgresProxy;
}

/** Lets the gateways have no more connections than these beyond those that they have now. */
async function closeServer(more: number): Promise<void> {
  const client = await cluster.connectServer();
  const { rows } = await client.query<{ count: string }>(
    "select count(*) from pg_stat_activity where usename = $1",
    [role],
  );
  await client.query(`alter role ${role} connection limit ${Number(rows[0]?.count) + more}`);
}

test(
  "calls keep the connections of their node when 64 readers of the console come and the server is full",
  async () => {
    const { place } = cluster;
    const { spender } = await addPayer(cluster, 1_000);
    const call = async () =>
      await chat(place.origin, { key: spender.key, model: quick.name, stream: false });
    expect((await call()).status).toBe(200);
    await closeServer(0);
    const failures: string[] = [];
    const reads = Array.from({ length: 64 }, async () => {
      for (let read = 0; read < 5; read += 1) {
        const { success, message } = await place.root.send("GET", "/api/log/?p=1&page_size=20");
        if (!success) failures.push(message);
      }
    });
    const calls: number[] = [];
    for (let count = 0; count < 40; count += 1) calls.push((await call()).status);
    expect(calls.filter((status) => status !== 200)).toEqual([]);
    await Promise.all(reads);
    // They wait for the connections that their node has; on a busy machine a few wait for too long.
    expect(failures.length, failures[0]).toBeLessThan(32);
  },
  testMs,
);

test(
  "a node for which the server has no connections does not start, and says so in one line",
  async () => {
    await closeServer(3);
    const failure = await cluster.addNode({ DATABASE_URL: roleUrl }).then(
      () => "started",
      (error: unknown) => String(error),
    );
    expect(failure).toContain("PostgreSQL has no connections left for this node");
    expect(failure).toContain("DATABASE_POOL");
    expect(failure).not.toContain("    at ");
  },
  testMs,
);
