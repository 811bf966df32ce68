/** Several gateways on one PostgreSQL database, and a connection to it from outside. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { expect } from "bun:test";
import { untilAllApplied } from "#test/applied.ts";
import { type Gateway, runCommand, type Settings, startGateway } from "#test/gateway.ts";
import { balanceOf, readLogs, sumOf } from "./ledger.ts";
import type { PostgresProxy } from "./postgres-proxy.ts";
import {
  addSpender,
  type Installation,
  openInstallation,
  type PricedModel,
  type Spender,
} from "./installation.ts";

/** A fixed price, so that the hold is exactly the charge. */
export const callCharge = 100;

/** A model that answers immediately. */
export const quick: PricedModel = {
  name: "node-quick",
  script: { events: 3 },
  perCall: callCharge,
};

/**
 * Makes a model that answers in 20 steps of this delay, so that its node can be taken for dead
 * meanwhile.
 */
export const slow = (eventDelayMs: number): PricedModel => ({
  name: `node-slow-${eventDelayMs}`,
  script: { events: 20, eventDelayMs },
  perCall: callCharge,
});

export type Cluster = {
  /** The first node, and the upstream of all of them. */
  readonly place: Installation;
  /** Starts another gateway on the same database; it is stopped when the cluster closes. */
  addNode(env?: Settings): Promise<Gateway>;
  /** Queries the database directly, not through a node. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** As `query`, once the books have everything that calls were told. */
  queryBooks<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Opens another connection to the database, for tests that hold locks.
   *
   * @param port of another server on this machine that has the same database.
   */
  connect(port?: number): Promise<Client>;
  /**
   * Connects to the server's database `postgres`, from where a test can end all connections to the
   * gateway's database.
   */
  connectServer(): Promise<Client>;
  /** The address of the database, without a proxy. */
  url(): string;
  /** Asks another server on this machine from now on, one that has the same database. */
  moveTo(port: number): void;
  close(): Promise<void>;
};

/** @param proxy opens what stands between the first node and its database; absent: nothing. */
export async function openCluster(
  models: readonly PricedModel[],
  proxy?: (url: string) => Promise<PostgresProxy>,
): Promise<Cluster> {
  let opened: PostgresProxy | undefined;
  const through = async (direct: string): Promise<string> => {
    opened = await proxy?.(direct);
    return opened?.url ?? direct;
  };
  const place = await openInstallation("postgres", { models, through });
  let url = place.home.env["DATABASE_URL"] ?? "";
  const nodes: Gateway[] = [];
  const folders: string[] = [];
  const clients: Client[] = [];
  const connectTo = async (connectionString: string): Promise<Client> => {
    const client = new Client({ connectionString });
    client.on("error", () => {});
    await client.connect();
    clients.push(client);
    return client;
  };
  const connect = async (port?: number): Promise<Client> => {
    const at = new URL(url);
    if (port !== undefined) at.port = String(port);
    return await connectTo(at.href);
  };
  let watcher = await connect();
  async function query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // The test may have ended this connection: then it connects again and asks once more.
    const ask = async () => await watcher.query(text, [...values]);
    const { rows } = await ask().catch(async () => {
      watcher = await connect();
      return await ask();
    });
    return rows as Row[]; // Safe cast: each test names the columns that it selects.
  }

  return {
    place,
    connect,
    async connectServer() {
      const server = new URL(url);
      server.pathname = "/postgres";
      return await connectTo(server.href);
    },
    async addNode(env = {}) {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-node-"));
      folders.push(folder);
      const node = await startGateway(place.home, { env: { TOLLGATE_DATA_DIR: folder, ...env } });
      nodes.push(node);
      return node;
    },
    url: () => url,
    moveTo(port) {
      url = Object.assign(new URL(url), { port: String(port) }).href;
      void watcher.end();
    },
    query,
    async queryBooks<Row>(text: string, values: readonly unknown[] = []) {
      await untilAllApplied(async (count) => await query<{ count: number }>(count));
      return await query<Row>(text, values);
    },
    async close() {
      // A kill also ends a process that the test has stopped by SIGSTOP.
      for (const node of nodes) await node.kill();
      await Promise.all(clients.map(async (client) => await client.end()));
      opened?.stop();
      await place.close();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Reads the quota that this user's running calls hold. */
export async function heldOf({ query }: Cluster, userId: number): Promise<number> {
  const text = "select held from balances where user_id = $1";
  const [row] = await query<{ held: string }>(text, [userId]);
  return Number(row?.held);
}

/** Ids of requests that were logged as a call more than once. */
export async function callsWithTwoRows({ queryBooks }: Cluster): Promise<string[]> {
  const rows = await queryBooks<{ request_id: string }>(
    `select request_id from logs where type in (2, 5) and request_id <> ''
     group by request_id having count(*) > 1`,
  );
  return rows.map(({ request_id }) => request_id);
}

/**
 * Checks that no call has two log rows, that every user paid what the rows say, and that `tollgate
 * audit` finds no fault in the ledger.
 */
export async function expectSoundBooks(
  cluster: Cluster,
  spenders: readonly { readonly spender: Spender; readonly opening: number }[],
): Promise<void> {
  expect(await callsWithTwoRows(cluster)).toEqual([]);
  const { place } = cluster;
  for (const { spender, opening } of spenders) {
    const { username } = await spender.client.call<{ username: string }>("GET", "/api/user/self");
    const charged = sumOf(await readLogs(place.root, { type: 2, username }));
    expect(await balanceOf(spender.client)).toBe(opening - charged);
  }
  const audit = await runCommand(place.home, ["audit"], { DATABASE_URL: cluster.url() });
  expect(audit.code, audit.output).toBe(0);
}

export async function isReady(origin: string): Promise<boolean> {
  return (await fetch(`${origin}/readyz`)).status === 200;
}

/** Makes a user with a balance for this many calls. */
export async function addPayer(
  { place }: Cluster,
  calls: number,
): Promise<{ spender: Spender; opening: number }> {
  const opening = calls * callCharge;
  return { spender: await addSpender(place, opening), opening };
}
