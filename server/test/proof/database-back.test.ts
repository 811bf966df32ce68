/**
 * Tests what nodes do when their database shows less than it had acknowledged: a standby that
 * lagged was promoted, a backup was restored, or the clock of changes was set back.
 */

import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditRow } from "@tollgate/contract/endpoints/audit.ts";
import { addToken } from "#test/console.ts";
import { type Gateway, runCommand } from "#test/gateway.ts";
import { chat, isWhole, requestIdOf } from "./chat-call.ts";
import {
  addPayer,
  callCharge,
  type Cluster,
  expectSoundBooks,
  heldOf,
  isReady,
  openCluster,
  quick,
  slow,
} from "./cluster-scene.ts";
import { setOption } from "./installation.ts";
import { eventually, readLogs } from "./ledger.ts";
import { type SentCall, startLoad } from "./load.ts";
import { type PostgresProxy, startPostgresProxy } from "./postgres-proxy.ts";
import { runPostgres, startStandby } from "./postgres-standby.ts";

const testMs = 240_000;
const long = slow(100);
/** Fails once the test lets it. */
const failing = {
  name: "node-failing",
  script: { hold: "head", status: 400 },
  perCall: callCharge,
} as const;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function open(proxy?: (url: string) => Promise<PostgresProxy>): Promise<Cluster> {
  const cluster = await openCluster([quick, long, failing], proxy);
  closing.push(cluster.close);
  return cluster;
}

type Payer = Awaited<ReturnType<typeof addPayer>>;

/** Makes callers of one user, each with a token of its own. */
async function callersOf({ spender }: Payer, count: number) {
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { id, key } = await addToken(spender.client);
      const facts = { userId: spender.client.userId, tokenId: id, key, charge: callCharge };
      return { name: `b-${index}`, ...facts, model: quick, stream: index % 2 === 0 };
    }),
  );
}

async function untilServed(origin: string, key: string): Promise<void> {
  await eventually(
    () => chat(origin, { key, model: quick.name, stream: false }),
    (answer) => isWhole(answer, false),
    { what: `${origin} serves` },
  );
}

const wholeOf = (calls: readonly SentCall[]) =>
  calls.flatMap(({ outcome }) => (outcome?.whole === true ? [outcome.requestId] : []));

async function untilWhole(calls: () => readonly SentCall[], more: number): Promise<void> {
  const before = wholeOf(calls()).length;
  await eventually(
    async () => wholeOf(calls()).length - before,
    (count) => count >= more,
    { what: "calls are served" },
  );
}

async function untilReady(nodes: readonly { readonly origin: string }[]): Promise<void> {
  for (const { origin } of nodes) {
    await eventually(
      () => isReady(origin),
      (ready) => ready,
      { what: `${origin} is ready` },
    );
  }
}

/** Waits until nodes have noticed that their database went back, and take calls again. */
async function untilDealtWith(nodes: readonly { readonly origin: string }[]): Promise<void> {
  for (const { origin } of nodes) {
    await eventually(
      () => metricsOf(origin),
      ({ tollgate_database_went_back: times = 0 }) => times > 0,
      { what: `${origin} notices` },
    );
  }
  await untilReady(nodes);
}

async function metricsOf(origin: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** Checks that a token which is disabled on the first node is refused by both. */
async function expectRevoked({ place }: Cluster, node: Gateway, { spender }: Payer): Promise<void> {
  const token = await addToken(spender.client);
  for (const origin of [place.origin, node.origin]) await untilServed(origin, token.key);
  await spender.client.call("PUT", "/api/token/?status_only=true", { id: token.id, status: 2 });
  const statusAt = async (origin: string): Promise<number> =>
    (await chat(origin, { key: token.key, model: quick.name, stream: false })).status;
  // The node that received the change applies it before it answers.
  expect(await statusAt(place.origin)).toBe(401);
  await eventually(
    () => statusAt(node.origin),
    (status) => status === 401,
    { what: "the other node refuses the token" },
  );
}

/** Checks that each of these calls was charged once, or is named as written off. */
async function expectServedIsCharged(cluster: Cluster, whole: readonly string[], payer: Payer) {
  const { place } = cluster;
  await eventually(
    () => heldOf(cluster, payer.spender.client.userId),
    (held) => held === 0,
    { what: "nothing is held" },
  );
  const left = await cluster.queryBooks("select id from reservations");
  expect(left).toEqual([]);
  const charged = (await readLogs(place.root, { type: 2 })).map(({ request_id }) => request_id);
  expect(new Set(charged).size).toBe(charged.length);
  const missing = whole.filter((id) => !charged.includes(id));
  expect(missing).toEqual([]);
  await expectSoundBooks(cluster, [payer]);
}

const lossesOf = async ({ place }: Cluster): Promise<readonly AuditRow[]> => {
  const path = "/api/audit/?action=database.back&page_size=100";
  return (await place.root.call<{ items: AuditRow[] }>("GET", path)).items;
};

/** Opens two nodes under load, and backs their database up. */
async function openBackedUp() {
  const cluster = await open();
  const { place } = cluster;
  const node = await cluster.addNode();
  const payer = await addPayer(cluster, 1_000_000);
  const callers = await callersOf(payer, 6);
  for (const { origin } of [place, node]) await untilServed(origin, payer.spender.key);
  const loads = [
    startLoad(place.origin, callers.slice(0, 3)),
    startLoad(node.origin, callers.slice(3)),
  ];
  const calls = () => loads.flatMap((load) => [...load.calls]);
  await untilWhole(calls, 20);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-dump-"));
  closing.push(async () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "dump");
  const url = new URL(place.home.env["DATABASE_URL"] ?? "");
  await runPostgres("pg_dump", ["-Fc", "-f", file, url.href]);
  return { cluster, place, node, payer, loads, calls, file, url };
}

/** Replaces the database under its nodes by an empty one. */
async function emptyDatabase(cluster: Cluster, { pathname }: URL): Promise<void> {
  const name = pathname.slice(1);
  const server = await cluster.connectServer();
  await server.query(`drop database ${name} with (force)`);
  await server.query(`create database ${name}`);
}

/** How many objects are restored at once, and the pause after them in milliseconds. */
const pieceSize = 40;
const piecePauseMs = 300;

/** Restores a backup in pieces; the tables' keys and indexes come last, as `pg_restore` sorts them. */
async function restoreInPieces(file: string, url: string): Promise<void> {
  const list = `${file}.list`;
  await runPostgres("pg_restore", ["-l", "-f", list, file]);
  const objects = readFileSync(list, "utf8")
    .split("\n")
    .filter((line) => /^\d/.test(line));
  for (let from = 0; from < objects.length; from += pieceSize) {
    writeFileSync(list, `${objects.slice(from, from + pieceSize).join("\n")}\n`);
    await runPostgres("pg_restore", ["--no-owner", "-L", list, "-d", url, file]);
    await Bun.sleep(piecePauseMs);
  }
}

test(
  "a token disabled after the clock of changes was set back is refused on every node",
  async () => {
    const cluster = await open();
    const node = await cluster.addNode();
    const payer = await addPayer(cluster, 1_000);
    for (const { origin } of [cluster.place, node]) await untilServed(origin, payer.spender.key);
    await cluster.query(`
      with clock as (update config_clock set version = version - 10 returning version)
      delete from config_changes using clock where config_changes.version > clock.version`);
    await expectRevoked(cluster, node, payer);
    await untilReady([cluster.place, node]);
    await expectRevoked(cluster, node, payer);
    expect((await metricsOf(node.origin))["tollgate_database_went_back"]).toBeGreaterThan(0);
    await expectSoundBooks(cluster, [payer]);
  },
  testMs,
);

test(
  "a backup restored under running nodes: what was served since is charged again, what was changed is told",
  async () => {
    const { cluster, place, node, payer, loads, calls, file, url } = await openBackedUp();
    await untilWhole(calls, 40);
    await setOption(place.root, "Footer", "lost");
    const lostToken = await addToken(payer.spender.client, { name: "lost" });

    await emptyDatabase(cluster, url);
    await runPostgres("pg_restore", ["--no-owner", "-d", url.href, file]);
    await untilWhole(calls, 20);
    await untilDealtWith([place, node]);
    for (const load of loads) await load.stop();
    await expectServedIsCharged(cluster, wholeOf(calls()), payer);
    await expectRevoked(cluster, node, payer);

    const again = await cluster.queryBooks<{ n: string }>(
      "select count(*) as n from entries where cause like 'again:%'",
    );
    const count = Number(again[0]?.n);
    expect(count).toBeGreaterThanOrEqual(40);
    const told = (await lossesOf(cluster)).map(({ detail }) => detail).join("\n");
    expect(told).toContain("change options:0");
    expect(told).toContain(`change tokens:${lostToken.id}`);
    const sums = await Promise.all([place, node].map(({ origin }) => metricsOf(origin)));
    const units = sums.reduce((sum, one) => sum + (one["tollgate_charged_again_units"] ?? 0), 0);
    expect(units).toBe(count * callCharge);
    const audit = await runCommand(place.home, ["audit"]);
    expect(audit.output).toContain(`${count} charges of ${units} quota units were written again`);
  },
  testMs,
);

test(
  "a backup that is restored in pieces under running nodes: nothing is decided before all of it is there",
  async () => {
    const { cluster, place, node, payer, loads, calls, file, url } = await openBackedUp();
    await untilWhole(calls, 200);
    await emptyDatabase(cluster, url);
    await restoreInPieces(file, url.href);
    await untilWhole(calls, 20);
    await untilDealtWith([place, node]);
    for (const load of loads) await load.stop();
    await expectServedIsCharged(cluster, wholeOf(calls()), payer);
    const audit = await runCommand(place.home, ["audit"]);
    expect(audit.code).toBe(0);
  },
  testMs,
);

test(
  "a standby that lagged is promoted under load: what was served is charged, no hold stays",
  async () => {
    let proxy: PostgresProxy | undefined;
    const cluster = await open(async (url) => (proxy = await startPostgresProxy(url)));
    const { place } = cluster;
    const through = { DATABASE_URL: proxy?.url ?? "" };
    const node = await cluster.addNode(through);
    const payer = await addPayer(cluster, 100_000);
    const callers = await callersOf(payer, 6);
    for (const { origin } of [place, node]) await untilServed(origin, payer.spender.key);
    const direct = new URL(place.home.env["DATABASE_URL"] ?? "");
    const link = await startPostgresProxy(direct.href);
    const standby = await startStandby(Number(new URL(link.url).port));
    closing.push(standby.stop);
    const loads = [
      startLoad(place.origin, callers.slice(0, 3)),
      startLoad(node.origin, callers.slice(3)),
    ];
    const calls = () => loads.flatMap((load) => [...load.calls]);
    await untilWhole(calls, 20);
    const failed = Array.from({ length: 4 }, (_, index) => {
      const { origin } = index % 2 === 0 ? place : node;
      return chat(origin, { key: payer.spender.key, model: failing.name, stream: true });
    });
    const behind = await cluster.connect(standby.port);
    await eventually(
      async () => {
        const text = "select id from reservations where model_name = $1";
        return (await behind.query(text, [failing.name])).rowCount;
      },
      (count) => count === failed.length,
      { what: "the standby has the reservations of calls that are going to fail" },
    );
    // From here on the standby gets nothing, and calls are acknowledged all the same.
    link.stop();
    await place.demo.release(failing.name);
    expect((await Promise.all(failed)).map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    await untilWhole(calls, 40);
    await setOption(place.root, "Footer", "lost");
    const running = [place, node].map(({ origin }) =>
      chat(origin, { key: payer.spender.key, model: long.name, stream: true }),
    );
    await untilWhole(calls, 4);
    await standby.promote();
    proxy?.moveTo(standby.port);
    cluster.moveTo(standby.port);
    await untilWhole(calls, 20);
    await untilDealtWith([place, node]);
    for (const load of loads) await load.stop();
    const ended = await Promise.all(running);
    // A call that ran during the change goes on, although its reservation is lost.
    expect(ended.map((answer) => isWhole(answer, true))).toEqual([true, true]);
    await expectServedIsCharged(cluster, [...wholeOf(calls()), ...ended.map(requestIdOf)], payer);
    await expectRevoked(cluster, node, payer);
    const again = await cluster.queryBooks<{ n: string }>(
      "select count(*) as n from entries where cause like 'again:%'",
    );
    expect(Number(again[0]?.n)).toBeGreaterThanOrEqual(40);
    expect((await lossesOf(cluster)).map(({ detail }) => detail).join("\n")).toContain(
      "change options:0",
    );
  },
  testMs,
);
