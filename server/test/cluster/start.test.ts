/**
 * Tests how several nodes start on one database, and how each of them learns of the others'
 * changes.
 */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { addToken, addUser, signIn } from "#test/console.ts";
import { type Gateway, type Home, makeHome, type Settings, startGateway } from "#test/gateway.ts";
import { eventually } from "#test/proof/ledger.ts";
import { chat, isWhole } from "#test/proof/chat-call.ts";
import { addPayer, openCluster, quick } from "#test/proof/cluster-scene.ts";
import { isLong } from "#test/proof/size.ts";

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

test(
  "a user without a key plays on a node that began later, and calls there by the first key",
  async () => {
    const cluster = await openCluster([quick]);
    try {
      const { place } = cluster;
      const first = await addUser(place.root, place.origin, 1_000);
      const { username } = await first.call<{ username: string }>("GET", "/api/user/self");
      const node = await cluster.addNode();
      const client = await signIn(node.origin, { username, password: "a long enough password" });
      const played = (): Promise<{ choices?: unknown[] }> =>
        client.send("POST", "/pg/chat/completions", {
          model: quick.name,
          messages: [{ role: "user", content: "hi" }],
          stream: false,
          group: "",
          max_tokens: 3,
        }) as Promise<{ choices?: unknown[] }>; // Safe cast: a completion, or a refusal.
      expect((await played()).choices).toHaveLength(1);
      // Whatever made the node read all users again, one without a key stays.
      await cluster.query(`with clock as (update config_clock set version = version + 1 returning version)
        insert into config_changes (version, part, entity_id) select version, 'users', 0 from clock`);
      await Bun.sleep(1_500);
      expect((await played()).choices).toHaveLength(1);

      const { key } = await addToken(first);
      await eventually(
        () => chat(node.origin, { key, model: quick.name, stream: false }),
        (answer) => isWhole(answer, false),
        { what: "the other node knows the first key" },
      );
      await place.root.call("POST", "/api/user/manage", { id: client.userId, action: "disable" });
      await Bun.sleep(1_500);
      expect((await played()).choices).toBeUndefined();
    } finally {
      await cluster.close();
    }
  },
  testMs,
);

const manyTokens = isLong ? 200_000 : 60_000;

test(
  `a change of all of ${manyTokens} tokens leaves the node ready, and calls go on meanwhile`,
  async () => {
    const cluster = await openCluster([quick]);
    try {
      const { place, query } = cluster;
      const { spender } = await addPayer(cluster, 10_000);
      const [first, second] = [spender.key, (await addToken(spender.client)).key];
      const call = async (key: string) =>
        await chat(place.origin, { key, model: quick.name, stream: false });
      const [found] = await query<{ names: string }>(`
        select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
        where table_name = 'tokens' and column_name not in ('id', 'lookup')`);
      await query(
        `insert into tokens (lookup, ${found?.names})
         select lpad(to_hex(n), 64, '0'), ${found?.names}
         from generate_series(1, ${manyTokens}) as n, (select * from tokens where id = $1) as source`,
        [spender.tokenId],
      );
      // Nobody told the nodes of this one, so they learn of it by reading all tokens.
      await query(
        "update tokens set status = 2 where lookup = (select lookup from tokens where id = (select max(id) from tokens where lookup not like '0000%'))",
      );
      const change = `with clock as (update config_clock set version = version + 1 returning version)
        insert into config_changes (version, part, entity_id) select version, 'tokens', 0 from clock`;
      await query(change);
      const readiness: number[] = [];
      let last = 200;
      for (let turn = 0; last === 200 && turn < 5_000; turn += 1) {
        readiness.push((await fetch(`${place.origin}/readyz`)).status);
        expect((await call(first)).status).toBe(200);
        last = (await call(second)).status;
      }
      expect(last).toBe(401);
      expect(readiness.filter((status) => status !== 200)).toEqual([]);
      // The thread that answers stood still for none of the pages.
      expect(readiness.length).toBeGreaterThan(10);
    } finally {
      await cluster.close();
    }
  },
  testMs,
);
