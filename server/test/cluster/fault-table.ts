/**
 * The scene of the table of faults: nodes under load, each behind a proxy to the database of its own,
 * and what must be true of every call after whatever has happened to them.
 */

import { expect } from "bun:test";
import { addToken } from "#test/console.ts";
import type { Gateway } from "#test/gateway.ts";
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
} from "#test/proof/cluster-scene.ts";
import { eventually } from "#test/proof/ledger.ts";
import { type Caller, type SentCall, startLoad } from "#test/proof/load.ts";
import { type PostgresProxy, startPostgresProxy } from "#test/proof/postgres-proxy.ts";
import { isLong } from "#test/proof/size.ts";

/** How many nodes take calls, and how many callers each has. */
export const nodeCount = isLong ? 8 : 3;
const callersPerNode = isLong ? 12 : 4;

/** How long the load runs before a fault and after it, in milliseconds. */
const beforeMs = isLong ? 3_000 : 1_000;
const afterMs = isLong ? 8_000 : 2_500;

export type FaultNode = {
  readonly origin: string;
  readonly proxy: PostgresProxy;
  gateway(): Gateway;
  /** Starts the process again at the same address, when it has ended. */
  start(): Promise<void>;
};

export type FaultScene = {
  readonly cluster: Cluster;
  readonly nodes: readonly FaultNode[];
  /**
   * Puts calls on every node while `fault` runs, and then checks every call, the balances and the
   * books.
   */
  under(fault: (nodes: readonly FaultNode[]) => Promise<void>): Promise<Judged>;
  close(): Promise<void>;
};

type Judged = {
  /** The calls of each node that began in the last part of the fault and after it, and ended. */
  readonly ofNode: readonly SentCall[][];
  /**
   * How many more of a node's calls than before the fault were not answered as they should be, as a
   * share: a machine that others share refuses some without any fault.
   */
  harmTo(node: number): number;
  /** What these calls got. */
  failuresOf(node: number): string;
  /** Answers that were whole and are logged as free, because their node was taken for dead. */
  readonly free: number;
};

/** @param prepare is given the address of the database before anything uses it. */
export async function openFaultScene(
  prepare: (url: string) => Promise<void> = async () => {},
): Promise<FaultScene> {
  const cluster = await openCluster([quick], async (url) => {
    await prepare(url);
    return await startPostgresProxy(url);
  });
  const url = cluster.place.home.env["DATABASE_URL"] ?? "";
  const nodes: FaultNode[] = [];
  for (let at = 0; at < nodeCount; at += 1) {
    const proxy = await startPostgresProxy(url);
    let gateway = await cluster.addNode({ DATABASE_URL: proxy.url });
    const { origin } = gateway;
    nodes.push({
      origin,
      proxy,
      gateway: () => gateway,
      async start() {
        const env = { DATABASE_URL: proxy.url, PORT: new URL(origin).port };
        gateway = await cluster.addNode(env);
      },
    });
  }
  // Each node counts the others every 2 s, and takes over a change within one.
  await Bun.sleep(2_500);
  return {
    cluster,
    nodes,
    under: async (fault) => await judge(cluster, nodes, fault),
    async close() {
      for (const { proxy } of nodes) proxy.thaw();
      await cluster.close();
      for (const { proxy } of nodes) proxy.stop();
    },
  };
}

/** Few users, but none makes more keys than a node shows one user in a minute. */
const richCount = isLong ? 23 : 2;

/** Makes the callers of every node: users with much, and one with a balance for a few calls. */
async function addCallers(cluster: Cluster) {
  const payers: Awaited<ReturnType<typeof addPayer>>[] = [];
  for (let at = 0; at < richCount; at += 1) payers.push(await addPayer(cluster, 100_000));
  payers.push(await addPayer(cluster, 10));
  const callers = await Promise.all(
    Array.from({ length: nodeCount * callersPerNode }, async (_, index): Promise<Caller> => {
      const payer = payers[index % payers.length] ?? payers[0];
      if (payer === undefined) throw new Error("no payer");
      const { client } = payer.spender;
      const token = await addToken(client);
      const facts = { userId: client.userId, tokenId: token.id, key: token.key };
      const name = `t-${client.userId}-${index}`;
      return { name, ...facts, charge: callCharge, model: quick, stream: index % 2 === 0 };
    }),
  );
  return { payers, callers };
}

async function judge(
  cluster: Cluster,
  nodes: readonly FaultNode[],
  fault: (nodes: readonly FaultNode[]) => Promise<void>,
): Promise<Judged> {
  const { payers, callers } = await addCallers(cluster);
  // Every node knows the keys within a second.
  await Bun.sleep(1_500);
  const loads = nodes.map(({ origin }, at) =>
    startLoad(origin, callers.slice(at * callersPerNode, (at + 1) * callersPerNode)),
  );
  await Bun.sleep(beforeMs);
  const before = loads.map(({ calls }) =>
    failedShare(
      calls.filter(({ outcome }) => outcome !== undefined),
      payers,
    ),
  );
  await fault(nodes);
  const from = loads.map(({ calls }) => calls.length);
  await Bun.sleep(afterMs);
  await Promise.all(loads.map(async (load) => await load.stop()));
  for (const { origin } of nodes) {
    await eventually(
      () => isReady(origin).catch(() => false),
      (ready) => ready,
      { what: `${origin} is ready again` },
    );
  }
  for (const { spender } of payers) {
    await eventually(
      () => heldOf(cluster, spender.client.userId),
      (held) => held === 0,
      { what: "everything that was held is free again" },
    );
  }
  const calls = loads.flatMap((load) => load.calls);
  const free = await expectExact(cluster, calls);
  await expectSoundBooks(cluster, payers);
  const poor = payers.at(-1);
  const ofPoor = calls.filter(
    ({ caller, outcome }) => caller.userId === poor?.spender.client.userId && outcome?.whole,
  );
  // Nobody is answered beyond the balance, on however many nodes; what was given back may be spent.
  expect(ofPoor.length - free).toBeLessThanOrEqual(10);
  const ofNode = loads.map((load, at) => load.calls.slice(from[at]));
  return {
    ofNode,
    free,
    harmTo: (node) => failedShare(ofNode[node] ?? [], payers) - (before[node] ?? 0),
    failuresOf: (node) =>
      failedOf(ofNode[node] ?? [], payers)
        .map(({ outcome }) => `${outcome?.status ?? 0} ${outcome?.text.slice(0, 160) ?? ""}`)
        .join("\n"),
  };
}

type Payers = Awaited<ReturnType<typeof addCallers>>["payers"];

/** The calls that failed although their users had enough quota. */
function failedOf(calls: readonly SentCall[], payers: Payers): SentCall[] {
  return calls.filter(({ caller, outcome }) => isRich(caller, payers) && outcome?.whole !== true);
}

function failedShare(calls: readonly SentCall[], payers: Payers): number {
  const rich = calls.filter(({ caller }) => isRich(caller, payers));
  return rich.length === 0 ? 0 : failedOf(calls, payers).length / rich.length;
}

function isRich({ userId }: Caller, payers: Payers): boolean {
  return payers.slice(0, richCount).some(({ spender }) => spender.client.userId === userId);
}

/**
 * Every answer that was whole has one row of its amount, or one that says that it is free because its
 * node was taken for dead; nothing has two. @returns how many are free.
 */
async function expectExact(cluster: Cluster, calls: readonly SentCall[]): Promise<number> {
  const whole = calls.filter(({ outcome }) => outcome?.whole);
  const ids = whole.map(({ outcome }) => outcome?.requestId ?? "");
  const rows = await cluster.queryBooks<{ request_id: string; type: string; quota: string }>(
    "select request_id, type, quota from logs where type in (2, 5) and request_id = any($1)",
    [ids],
  );
  const byId = new Map(rows.map((row) => [row.request_id, row]));
  const wrong = whole.filter(({ caller, outcome }) => {
    const row = byId.get(outcome?.requestId ?? "");
    if (row === undefined) return true;
    const expected = Number(row.type) === 5 ? 0 : caller.charge;
    return Number(row.quota) !== expected;
  });
  expect(wrong.map(({ marker, outcome }) => ({ marker, ...outcome }))).toEqual([]);
  expect(await callsWithTwoRows(cluster)).toEqual([]);
  return rows.filter(({ type }) => Number(type) === 5).length;
}
