/**
 * `kill -9` of the product while tasks are at each step of their life, and what upstreams tell over
 * HTTP before and after it: promise P-M8 on the whole product. The gateway serves other machines,
 * too, so that it may connect to this one only at the address that the operator listed.
 */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "pg";
import type { Dialect } from "#db/dialect.ts";
import { testDialects } from "#db/testing/database.ts";
import { addChannel, addToken, addUser, type ConsoleClient, signIn } from "#test/console.ts";
import {
  type Gateway,
  type Home,
  makeStartedHome,
  runCommand,
  startGateway,
} from "#test/gateway.ts";
import { setOption } from "./installation.ts";
import { balanceOf, eventually } from "./ledger.ts";

/** The price of a drawing by default, in quota units. */
const cost = 50_000;
const opening = 100 * cost;

type Told = {
  readonly status: string;
  readonly progress: string;
  readonly failReason?: string;
  readonly imageUrl?: string;
};

const env = { HOST: "0.0.0.0", TOLLGATE_PRIVATE_UPSTREAMS: "127.0.0.1" };

const running: Told = { status: "IN_PROGRESS", progress: "30%" };
const imageUrl = "https://pictures.example/1.png";
const success: Told = { status: "SUCCESS", progress: "100%", imageUrl };
const failure: Told = { status: "FAILURE", progress: "100%", failReason: "banned" };

type Silent = "poll" | "submit";

const picture = { "content-type": "image/png" };

/** An upstream that says of each task what the test has set, or does not answer. */
function openUpstream() {
  const states = new Map<string, Told | "silent">();
  const hooks = new Map<string, string>();
  const silent = {
    poll: Promise.withResolvers<undefined>(),
    submit: Promise.withResolvers<undefined>(),
  };
  const never = new Promise<Response>(() => {});

  async function answer(url: string, body: Record<string, unknown>): Promise<Response> {
    if (url.endsWith("/list-by-condition")) {
      const ids = Array.isArray(body["ids"]) ? body["ids"].map(String) : [];
      if (ids.some((id) => states.get(id) === "silent")) {
        silent.poll.resolve(undefined);
        return await never;
      }
      return Response.json(ids.map((id) => ({ id, ...Object(states.get(id)) })));
    }
    const id = `up-${String(body["prompt"])}`;
    hooks.set(id, String(body["notifyHook"]));
    if (states.get(id) === "silent") {
      silent.submit.resolve(undefined);
      return await never;
    }
    states.set(id, running);
    return Response.json({ code: 1, description: "ok", result: id, properties: {} });
  }

  let strayed = 0;
  const stray = (): Response => {
    strayed += 1;
    return new Response("secret", { headers: { "content-type": "image/png" } });
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      if (request.url.endsWith("/hook")) return stray();
      if (request.method === "GET") return new Response("picture", { headers: picture });
      // Safe cast: the gateway sends objects.
      return await answer(request.url, (await request.json()) as Record<string, unknown>);
    },
  });
  const trap = Bun.serve({ port: 0, hostname: "127.0.0.2", fetch: stray });
  return {
    url: server.url.origin,
    /** An address that the operator has not listed. */
    trapUrl: trap.url.origin,
    /** How often the gateway has gone where it must not. */
    strayed: () => strayed,
    set: (prompt: string, told: Told | "silent") => void states.set(`up-${prompt}`, told),
    /** Resolves when the upstream was asked something that it does not answer. */
    leftSilent: async (what: Silent) => await silent[what].promise,
    /** Tells the gateway of a task, at the address that the submission of `as` named. */
    async tell(prompt: string, told: Told, as = prompt): Promise<number> {
      const response = await fetch(hooks.get(`up-${as}`) ?? "", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ id: `up-${prompt}`, ...told }),
      });
      await response.text();
      return response.status;
    },
    async stop() {
      await Promise.all([server.stop(true), trap.stop(true)]);
    },
  };
}

/** Changes the rows of tasks while no gateway runs, as time would. */
async function changeTasks({ dialect, dataDir, env }: Home, change: string): Promise<void> {
  if (dialect === "sqlite") {
    const db = new Database(`${dataDir}/tollgate.db`);
    db.run(change);
    db.close();
    return;
  }
  const client = new Client({ connectionString: env["DATABASE_URL"] });
  await client.connect();
  await client.query(change);
  await client.end();
}

type Row = {
  readonly mj_id: string;
  readonly status: string;
  readonly prompt: string;
  readonly quota: number;
  readonly refunded: number;
};

async function openScene(dialect: Dialect) {
  const home = await makeStartedHome(dialect);
  const gateway = await startGateway(home, { env });
  const upstream = openUpstream();
  const root = await signIn(gateway.origin);
  await setOption(root, "ConsoleRequestsPerMinute", "0");
  await setOption(root, "ServerAddress", gateway.origin);
  await setOption(root, "MjNotifyEnabled", "true");
  const drawing = { base_url: upstream.url, type: 2 };
  await addChannel(root, { ...drawing, key: "sk-first", models: "mj_imagine" });
  await addChannel(root, { ...drawing, key: "sk-other", models: "mj_blend" });
  const alice = await addUser(root, gateway.origin, opening);
  const { key } = await addToken(alice);
  const submit = async (prompt: string, kind = "imagine", by = key): Promise<number> => {
    const response = await fetch(`${gateway.origin}/mj/submit/${kind}`, {
      method: "POST",
      headers: { authorization: `Bearer ${by}`, "content-type": "application/json" },
      body: JSON.stringify({ prompt, base64Array: ["x"], notifyHook: `${upstream.url}/hook` }),
    });
    await response.text();
    return response.status;
  };
  return { home, gateway, upstream, root, alice, submit };
}

/** The tasks by their prompts, in a text for each. */
async function readRows(root: ConsoleClient): Promise<Record<string, string>> {
  const rows = await root.call<Row[]>("GET", "/api/mj/?page_size=100");
  return Object.fromEntries(
    rows.map(({ prompt, status, quota, refunded }) => [prompt, `${status} ${quota} ${refunded}`]),
  );
}

const charged = `SUCCESS ${cost} 0`;
const refunded = `FAILURE ${cost} ${cost}`;

for (const dialect of testDialects) {
  describe(`tasks and kill -9 on ${dialect}`, () => {
    let scene: Awaited<ReturnType<typeof openScene>>;
    let gateway: Gateway;
    beforeAll(async () => {
      scene = await openScene(dialect);
      gateway = scene.gateway;
    }, 120_000);
    afterAll(async () => {
      await gateway.kill();
      await scene.upstream.stop();
      await scene.home.remove();
    });

    test("pictures come only from addresses that the operator allows, and only of known tasks", async () => {
      const { gateway: first, root, submit, upstream } = scene;
      for (const prompt of ["listed", "unlisted"]) expect(await submit(prompt)).toBe(200);
      const tell = async (prompt: string, address: string) =>
        await upstream.tell(prompt, { ...success, imageUrl: address });
      expect(await tell("listed", `${upstream.url}/1.png`)).toBe(200);
      expect(await tell("unlisted", `${upstream.trapUrl}/1.png`)).toBe(200);
      const rows = await root.call<Row[]>("GET", "/api/mj/");
      const read = async (id: string): Promise<string> => {
        const response = await fetch(`${first.origin}/mj/image/${id}`);
        return `${response.status} ${(await response.text()).slice(0, 7)}`;
      };
      const idOf = (prompt: string) => rows.find((row) => row.prompt === prompt)?.mj_id ?? "";
      expect(await read(idOf("listed"))).toBe("200 picture");
      expect(await read(idOf("unlisted"))).toStartWith("502");
      for (const id of ["T".padEnd(33, "0"), encodeURIComponent(`${upstream.url}/1.png`)]) {
        expect(await read(id)).toStartWith("404");
      }
      expect(upstream.strayed()).toBe(0);
    });

    test("P-M8: whatever step a task is at, a kill leaves one charge, or one charge and one refund", async () => {
      const { home, upstream, root, alice, submit } = scene;
      const token = await addToken(alice, { unlimited_quota: false, remain_quota: cost });
      for (const prompt of ["failed", "kept", "charged", "late", "asked"]) {
        expect(await submit(prompt)).toBe(200);
      }
      expect(await submit("foreign", "blend")).toBe(200);
      expect(await submit("deleted", "imagine", token.key)).toBe(200);
      await alice.call("DELETE", `/api/token/${token.id}`);
      expect(await upstream.tell("failed", failure)).toBe(200);
      expect(await upstream.tell("kept", success)).toBe(200);
      // The proof of another channel does not reach this one's tasks.
      expect(await upstream.tell("charged", failure, "foreign")).toBe(400);
      expect(await readRows(root)).toMatchObject({ failed: refunded, kept: charged });

      upstream.set("asked", "silent");
      await upstream.leftSilent("poll");
      upstream.set("unheard", "silent");
      const unheard = submit("unheard").catch(() => 0);
      await upstream.leftSilent("submit");
      await gateway.kill();
      expect(await unheard).toBe(0);

      // Everything is due at once, and the time of one task is over.
      await changeTasks(home, "update tasks set due_at = 1 where due_at > 0");
      await changeTasks(home, "update tasks set deadline_at = 1 where prompt = 'late'");
      for (const prompt of ["charged", "foreign"]) upstream.set(prompt, success);
      for (const prompt of ["asked", "deleted"]) upstream.set(prompt, failure);
      gateway = await startGateway(home, { env, port: Number(new URL(scene.gateway.origin).port) });
      const expected = {
        asked: refunded,
        charged,
        deleted: refunded,
        failed: refunded,
        foreign: charged,
        kept: charged,
        late: refunded,
        listed: charged,
        unheard: "UNKNOWN 0 0",
        unlisted: charged,
      };
      await eventually(
        () => readRows(root),
        (rows) => Bun.deepEquals(rows, expected),
        {
          what: "the ends of all tasks",
        },
      );

      // What is told again, or against what was told, changes no money.
      for (const prompt of ["asked", "deleted", "failed", "kept", "late"]) {
        expect(await upstream.tell(prompt, failure)).toBe(200);
      }
      for (const prompt of ["failed", "charged"]) {
        expect(await upstream.tell(prompt, success)).toBe(200);
      }
      expect(await upstream.tell("unheard", success)).toBe(400);
      expect(await readRows(root)).toEqual({ ...expected, failed: `SUCCESS ${cost} ${cost}` });
      expect(await balanceOf(alice)).toBe(opening - 5 * cost);
      // Clients were not told at an address of this machine, which only channels may have.
      expect(upstream.strayed()).toBe(0);
      await gateway.kill();
      const { code, output } = await runCommand(home, ["audit"]);
      expect(code, output).toBe(0);
    }, 120_000);
  });
}
