/**
 * The guide for several nodes, followed by its letter: two nodes behind its Caddyfile are restarted one
 * after the other while calls run through it, and no call fails.
 */

import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Gateway } from "#test/gateway.ts";
import { freePort, runCaddy } from "#test/nginx.ts";
import {
  addPayer,
  type Cluster,
  expectSoundBooks,
  isReady,
  openCluster,
  quick,
  slow,
} from "#test/proof/cluster-scene.ts";
import { eventually } from "#test/proof/ledger.ts";
import { type Caller, startLoad } from "#test/proof/load.ts";

const guide = readFileSync(join(import.meta.dir, "../../../docs/operate/postgresql.md"), "utf8");

/** How long calls run before the first restart and after the last one, in milliseconds. */
const settleMs = 2_000;

/** Answers over ten seconds, longer than a node that stops takes calls. */
const long = slow(500);

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** The site of the guide's Caddyfile, at this address and before these nodes. */
function siteOf(url: string, nodes: readonly string[]): string {
  const found = /^gateway\.example\.com \{\n[^]*?\n\}/m.exec(guide)?.[0] ?? "";
  expect(found).toContain("10.0.0.11:3000 10.0.0.12:3000");
  return found
    .replace("gateway.example.com", url)
    .replace("10.0.0.11:3000 10.0.0.12:3000", nodes.join(" "));
}

async function openNodes(cluster: Cluster) {
  const ports = [freePort(), freePort()];
  const env = (port: number) => ({ PORT: String(port), TOLLGATE_TRUSTED_PROXIES: "127.0.0.1" });
  const nodes: Gateway[] = [];
  for (const port of ports) nodes.push(await cluster.addNode(env(port)));
  return {
    nodes,
    hosts: ports.map((port) => `127.0.0.1:${port}`),
    /** As the guide says: one after the other, each when the one before is ready again. */
    async restartAll(): Promise<void> {
      for (const [at, port] of ports.entries()) {
        expect(await nodes[at]?.stop("SIGTERM")).toBe(0);
        const started = await cluster.addNode(env(port));
        nodes[at] = started;
        await eventually(
          async () => await isReady(started.origin),
          (ready) => ready,
          { what: "the node is ready again" },
        );
      }
    },
  };
}

async function callersOf(cluster: Cluster) {
  const payer = await addPayer(cluster, 1_000_000);
  const { client, key, tokenId } = payer.spender;
  const facts = { userId: client.userId, tokenId, key, charge: 100 };
  const callers = Array.from({ length: 10 }, (_, at): Caller => {
    return { ...facts, name: `g-${at}`, model: at < 2 ? long : quick, stream: at % 2 === 0 };
  });
  return { payer, callers };
}

test("two nodes behind the guide's proxy are restarted one after the other, and no call fails", async () => {
  const cluster = await openCluster([quick, long]);
  stops.push(cluster.close);
  const { payer, callers } = await callersOf(cluster);
  const { hosts, restartAll } = await openNodes(cluster);
  const url = `http://127.0.0.1:${freePort()}`;
  const program = process.env["TOLLGATE_TEST_CADDY"] ?? Bun.which("caddy") ?? "";
  const proxy = await runCaddy(program, `${url}/readyz`, siteOf(url, hosts));
  stops.push(proxy.stop);
  for (const host of hosts) {
    // What the guide asks each node, to see that they are one installation.
    const metrics = await (await fetch(`http://${host}/metrics`)).text();
    expect(metrics).toMatch(/^tollgate_limits_shared 0$/m);
  }

  const load = startLoad(url, callers);
  await Bun.sleep(settleMs);
  const before = load.calls.length;
  await restartAll();
  await Bun.sleep(settleMs);
  const until = load.calls.length;
  await load.stop();
  expect(before).toBeGreaterThan(20);
  expect(until - before).toBeGreaterThan(100);
  const failed = load.calls.filter(({ outcome }) => outcome?.whole !== true);
  expect(failed.map(({ outcome }) => outcome)).toEqual([]);
  const rows = await cluster.queryBooks<{ calls: string }>(
    "select count(*) as calls from logs where type = 2 and user_id = $1",
    [payer.spender.client.userId],
  );
  expect(Number(rows[0]?.calls)).toBe(load.calls.length);
  await expectSoundBooks(cluster, [payer]);
}, 240_000);
