/**
 * Tests how several nodes start on one database, and how each of them learns of the others'
 * changes.
 */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { addToken } from "#test/console.ts";
import { type Gateway, type Home, makeHome, type Settings, startGateway } from "#test/gateway.ts";
import { eventually } from "./ledger.ts";
import { chat, isWhole } from "./chat-call.ts";
import { addPayer, openCluster, quick } from "./cluster-scene.ts";
import { isLong } from "./size.ts";

const testMs = 240_000;

let homes: Home[] = [];
let running: Gateway[] = [];
let folders: string[] = [];
beforeEach(() => {
  homes = [];
  running = [];
  folders = [];
});
afterEach(async () => {
  for (const gateway of running) await gateway.kill();
  for (const home of homes) await home.remove();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function makeEmptyHome(): Promise<Home> {
  const home = await makeHome("postgres");
  homes.push(home);
  return home;
}

async function addNode(home: Home, env: Settings = {}): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-node-"));
  folders.push(folder);
  const gateway = await startGateway(home, { env: { TOLLGATE_DATA_DIR: folder, ...env } });
  running.push(gateway);
  return gateway;
}

const pairs = isLong ? 20 : 2;

test(
  `none of ${pairs} pairs of simultaneous first starts on an empty database fails`,
  async () => {
    for (let pair = 0; pair < pairs; pair += 1) {
      const home = await makeEmptyHome();
      const started = await Promise.allSettled([addNode(home), addNode(home)]);
      expect(started.flatMap((one) => (one.status === "rejected" ? [one.reason] : []))).toEqual([]);
      const client = new Client({ connectionString: home.env["DATABASE_URL"] ?? "" });
      await client.connect();
      const { rows } = await client.query(
        "select count(*)::int as roots from users where role = 100",
      );
      await client.end();
      expect(rows).toEqual([{ roots: 1 }]);
    }
  },
  testMs,
);

const noRoot = { TOLLGATE_ROOT_USERNAME: undefined, TOLLGATE_ROOT_PASSWORD: undefined };

test(
  "the set-up link that one node printed works on every node, once",
  async () => {
    const home = await makeEmptyHome();
    const first = await addNode(home, noRoot);
    const second = await addNode(home, noRoot);
    const linkOf = ({ output }: Gateway): string => /setup#token=(\S+)/.exec(output())?.[1] ?? "";
    const tokens = await eventually(
      async () => [linkOf(first), linkOf(second)],
      (links) => links.every((link) => link !== ""),
      { what: "both print a link" },
    );
    const setUp = async ({ origin }: Gateway, token = "") => {
      const body = { username: "chief", password: "a long enough one", token };
      const answer = await fetch(`${origin}/api/setup`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...body, confirmPassword: body.password }),
      });
      return answer.status;
    };
    expect(await setUp(second, `${tokens[0]}x`)).toBe(400);
    // The link that the first node printed also works on the second node.
    expect(await setUp(second, tokens[0])).toBe(200);
    expect(await setUp(first, tokens[1])).toBe(400);
  },
  testMs,
);

test(
  "a token disabled behind a backlog of 60,000 changes is refused on every node without many rounds",
  async () => {
    const cluster = await openCluster([quick]);
    try {
      const { place, query } = cluster;
      const node = await cluster.addNode();
      const { spender } = await addPayer(cluster, 100);
      const token = await addToken(spender.client);
      const call = async (origin: string) =>
        await chat(origin, { key: token.key, model: quick.name, stream: false });
      for (const origin of [place.origin, node.origin]) {
        await eventually(
          () => call(origin),
          (answer) => isWhole(answer, false),
          { what: "both serve the token" },
        );
      }
      await query(`
        with clock as (update config_clock set version = version + 60000 returning version)
        insert into config_changes (version, part, entity_id)
        select version - 60000 + n, 'tokens', 900000 + n from clock, generate_series(1, 60000) as n`);
      await spender.client.call("PUT", "/api/token/?status_only=true", { id: token.id, status: 2 });
      // The node that received the change applies it before it answers.
      expect((await call(place.origin)).status).toBe(401);
      await eventually(
        () => call(node.origin),
        ({ status }) => status === 401,
        { what: "the other node refuses the token" },
      );
    } finally {
      await cluster.close();
    }
  },
  testMs,
);
