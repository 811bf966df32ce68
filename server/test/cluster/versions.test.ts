/**
 * Tests nodes of another version and of this one together on one database, under load, through the
 * migration. The other build is given by `scripts/versions.mjs`; without one, all nodes are of this
 * version, which is a rolling restart.
 */

import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FailureGroup, LogChart } from "@tollgate/contract/endpoints/log-answers.ts";
import type { Log } from "@tollgate/contract/endpoints/logs.ts";
import { Client } from "pg";
import { untilAllApplied } from "#test/applied.ts";
import { addChannel, signIn } from "#test/console.ts";
import { type Gateway, type Home, makeHome, runCommand, startGateway } from "#test/gateway.ts";
import { chat } from "#test/proof/chat-call.ts";
import { quick } from "#test/proof/cluster-scene.ts";
import { type DemoProcess, startDemo } from "#test/proof/demo-process.ts";
import { addModels, addSpender } from "#test/proof/installation.ts";
import { eventually } from "#test/proof/ledger.ts";
import { type Caller, type SentCall, startLoad } from "#test/proof/load.ts";
import { isLong } from "#test/proof/size.ts";

const other = process.env["TOLLGATE_OTHER_BUILD"];
const testMs = 300_000;
const loadMs = isLong ? 30_000 : 4_000;
const opening = 10_000_000;

/** Its calls fail, which rows and sums of this version tell. */
const broken = { name: "v-broken", script: { status: 500 }, perCall: 100 };

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

type Scene = {
  readonly home: Home;
  readonly demo: DemoProcess;
  /** Starts a node of this version or of the other one. */
  start(build: "other" | "own"): Promise<Gateway>;
};

async function openScene(): Promise<Scene> {
  const home = await makeHome("postgres");
  stops.push(home.remove);
  const demo = await startDemo();
  stops.push(demo.stop);
  return {
    home,
    demo,
    async start(build) {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-node-"));
      stops.push(() => rmSync(folder, { recursive: true, force: true }));
      const command =
        build === "other" && other !== undefined ? { build: { command: [other] } } : {};
      const env = { TOLLGATE_DATA_DIR: folder };
      const node = await startGateway({ ...home, ...command }, { env });
      stops.push(node.kill);
      return node;
    },
  };
}

/** Makes a channel, and callers of one user. */
async function addCallers({ origin }: Gateway, demo: DemoProcess) {
  const root = await signIn(origin);
  await addModels(root, demo, [quick, broken]);
  for (const { name } of [quick, broken]) {
    await addChannel(root, { base_url: demo.url, models: name });
  }
  // Safe cast: nothing else of an installation is asked for here.
  const place = { root, origin } as Parameters<typeof addSpender>[0];
  const spender = await addSpender(place, opening);
  const facts = { userId: spender.client.userId, tokenId: spender.tokenId, key: spender.key };
  const callers = Array.from({ length: 6 }, (_, at): Caller => {
    return { name: `v-${at}`, ...facts, model: quick, charge: 100, stream: at % 2 === 0 };
  });
  return { spender, callers };
}

/** Makes calls at each node that fail. @returns how many. */
async function failAt(nodes: readonly Gateway[], key: string): Promise<number> {
  for (const { origin } of nodes) {
    const { status } = await chat(origin, { key, model: broken.name, stream: false });
    expect(status).toBeGreaterThanOrEqual(500);
  }
  return nodes.length;
}

/** Also calls that nodes of the other version have logged have their endings in the end. */
async function expectEndings(query: Client["query"], failures: number): Promise<void> {
  const read = async (text: string): Promise<number> => {
    const { rows } = await query<{ count: string }>(`select coalesce(${text}`);
    return Number(rows[0]?.count);
  };
  await eventually(
    async () => await read("count(*), 0) as count from meta where key like 'endings%'"),
    (count) => count === 0,
    { what: "rows of the other version have their endings", maxMs: 60_000 },
  );
  expect(await read("count(*), 0) as count from logs where type = 5")).toBe(failures);
  expect(await read("count(*), 0) as count from logs where type = 5 and ending = ''")).toBe(0);
  expect(await read("sum(calls), 0) as count from ending_hours")).toBe(failures);
}

/** Every call was whole, and has one row of its amount; the balance is what they left. */
async function expectExact(
  { home }: Scene,
  { spender }: Awaited<ReturnType<typeof addCallers>>,
  calls: readonly SentCall[],
): Promise<Client["query"]> {
  expect(calls.length).toBeGreaterThan(20);
  expect(calls.filter(({ outcome }) => outcome?.whole !== true)).toEqual([]);
  const database = new Client({ connectionString: home.env["DATABASE_URL"] });
  await database.connect();
  stops.push(async () => await database.end());
  await untilAllApplied(async (text) => (await database.query(text)).rows);
  const queryBooks = database.query.bind(database);
  const { rows } = await queryBooks<{ request_id: string; quota: string }>(
    "select request_id, quota from logs where type = 2",
  );
  const charged = rows.map(({ request_id, quota }) => `${request_id} ${quota}`);
  const expected = calls.map(({ outcome }) => `${outcome?.requestId} 100`);
  expect(charged.toSorted()).toEqual(expected.toSorted());
  const { rows: balances } = await queryBooks<{ balance: string }>(
    "select balance from balances where user_id = $1",
    [spender.client.userId],
  );
  expect(Number(balances[0]?.balance)).toBe(opening - 100 * calls.length);
  const audit = await runCommand(home, ["audit"]);
  expect(audit.code, audit.output).toBe(0);
  return queryBooks;
}

describe("another version and this one", () => {
  test(
    "a node of this version joins those of the other one under load, which then leave",
    async () => {
      const scene = await openScene();
      const olds = [await scene.start("other"), await scene.start("other")];
      const [first] = olds;
      if (first === undefined) throw new Error("no node");
      const made = await addCallers(first, scene.demo);
      await Bun.sleep(1_500);
      const loads = olds.map(({ origin }) => startLoad(origin, made.callers));
      let failures = await failAt(olds, made.spender.key);
      await Bun.sleep(loadMs);
      const own = await scene.start("own");
      failures += await failAt([...olds, own], made.spender.key);
      loads.push(startLoad(own.origin, made.callers));
      await Bun.sleep(loadMs);
      for (const load of loads.slice(0, 2)) await load.stop();
      await expectStops(olds);
      await Bun.sleep(1_000);
      await loads[2]?.stop();
      const calls = loads.flatMap((load) => load.calls);
      await expectEndings(await expectExact(scene, made, calls), failures);
    },
    testMs,
  );

  test(
    "a node of this version leaves again: those of the other one go on, and a new one of them says why it does not start",
    async () => {
      const scene = await openScene();
      const old = await scene.start("other");
      const made = await addCallers(old, scene.demo);
      await Bun.sleep(1_500);
      const load = startLoad(old.origin, made.callers);
      const own = await scene.start("own");
      await Bun.sleep(loadMs);
      await expectStops([own]);
      await Bun.sleep(loadMs);
      const further = await scene.start("other").then(() => "started", String);
      expect(further).toContain(other === undefined ? "started" : "exited with");
      expect(further).not.toContain("    at ");
      await Bun.sleep(500);
      await load.stop();
      await expectExact(scene, made, load.calls);
    },
    testMs,
  );
});

describe.each(["sqlite", "postgres"] as const)(
  "a log that another version has begun: %s",
  (dialect) => {
    test(
      "is proven after the update, has its failed calls by their reasons, and takes tags and views",
      async () => {
        const home = await makeHome(dialect);
        stops.push(home.remove);
        const demo = await startDemo();
        stops.push(demo.stop);
        const build = other === undefined ? {} : { build: { command: [other] } };
        const old = await startGateway({ ...home, ...build });
        stops.push(old.kill);
        const { spender } = await addCallers(old, demo);
        await Bun.sleep(1_500);
        for (let at = 0; at < 3; at += 1) expect(await call(old, spender.key)).toBe(200);
        expect(await call(old, spender.key, { model: "nobody" })).not.toBe(200);
        await demo.script(quick.name, { ...quick.script, status: 500 });
        expect(await call(old, spender.key)).toBeGreaterThan(499);
        await demo.script(quick.name, quick.script);
        await expectStops([old]);

        const own = await startGateway(home);
        stops.push(own.kill);
        const headers = { "x-tollgate-tag-batch": "" };
        const tagged = async () => await call(own, spender.key, { headers });
        await eventually(tagged, (status) => status === 200, {
          what: "the channel is tried again",
        });
        const root = await signIn(own.origin);
        const listOf = async (query: string) =>
          (await root.call<{ items: Log[] }>("GET", `/api/log/?p=1&page_size=20${query}`)).items;
        expect((await listOf("&type=2")).length).toBe(4);
        expect((await listOf("&type=2&tag=batch")).map(({ tags }) => tags)).toEqual([["batch"]]);
        const failures = await root.call<FailureGroup[]>("GET", "/api/log/failures");
        expect(failures.map(({ ending }) => ending).join()).toContain("failed 500");
        const chart = await root.call<LogChart>("GET", "/api/log/chart?by=model&measure=quota");
        expect(chart.totals).toMatchObject({ quota: 400, calls: 4 });
        const view = { list: "logs", name: "mine", search: { tag: "batch" }, columns: null };
        await root.call("POST", "/api/view/", view);
        expect(await root.call("GET", "/api/view/?list=logs")).toMatchObject([{ name: "mine" }]);
        await expectStops([own]);
        const audit = await runCommand(home, ["audit"]);
        expect(audit.code, audit.output).toBe(0);
      },
      testMs,
    );
  },
);

type Asked = { readonly model?: string; readonly headers?: Readonly<Record<string, string>> };

/** Makes a call. Returns the status of the answer. */
async function call(
  { origin }: Gateway,
  key: string,
  { model = quick.name, headers = {} }: Asked = {},
): Promise<number> {
  const answer = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  await answer.text();
  return answer.status;
}

async function expectStops(nodes: readonly Gateway[]): Promise<void> {
  for (const node of nodes) expect(await node.stop("SIGTERM")).toBe(0);
}
