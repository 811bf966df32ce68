/**
 * Another gateway's users move in with the command that an operator types, which is killed at any
 * point and repeated: afterwards their keys are answered, their passwords sign in, and the books are
 * proven.
 */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { makeSource, ages, type Source } from "#commands/import/testing/sources.ts";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { signIn } from "#test/console.ts";
import { isLong } from "./size.ts";
import { executable, type Home, makeStartedHome, runCommand, startGateway } from "#test/gateway.ts";

const testMs = 600_000;
const userCount = isLong ? 2_000 : 300;
const logCount = 20 * userCount;
/** In each of four parts on each database; a long run kills 56 times over all. */
const kills = isLong ? 7 : 2;
const longPassword =
  "a very long passphrase that goes on and on until bcrypt does not look any more";

function startUpstream() {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      Response.json({
        id: "c",
        object: "chat.completion",
        model: "gpt-4o",
        choices: [
          { index: 0, finish_reason: "stop", message: { role: "assistant", content: "4" } },
        ],
        usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
      }),
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: async () => await server.stop(true) };
}

/** Passwords of some users: a usual one, one that is too short here, and a long one. */
function passwordOf(id: number): string {
  if (id === 2) return "short";
  return id === 3 ? longPassword : `password of ${id}`;
}

function keyOf(id: number): string {
  const shapes = [`sk-team-${id}-key`, `k${id}`, `${"A".repeat(40)}${String(id).padStart(8, "0")}`];
  return shapes[id % shapes.length] ?? "";
}

async function fill(source: Source, upstream: string): Promise<number> {
  let quota = 0;
  const hashes = new Map<number, string>();
  for (let id = 1; id <= 9; id += 1) {
    const bytes = new TextEncoder().encode(passwordOf(id)).subarray(0, 72);
    hashes.set(id, await Bun.password.hash(bytes, { algorithm: "bcrypt", cost: 4 }));
  }
  source.run("begin");
  for (let id = 1; id <= userCount; id += 1) {
    const own = 100_000 + id;
    quota += own;
    const password = hashes.get(id) ?? "";
    const inviter_id = id > 1 ? 1 : 0;
    source.insert("users", {
      id,
      username: `u${id}`,
      password,
      role: 1,
      status: 1,
      quota: own,
      inviter_id,
    });
    source.insert("tokens", {
      id,
      user_id: id,
      key: keyOf(id).replace(/^sk-/, ""),
      status: 1,
      name: "n",
      unlimited_quota: 1,
    });
  }
  const createdAt = Math.floor(Date.now() / 1_000) - logCount;
  for (let id = 1; id <= logCount; id += 1) {
    const of = { user_id: 1 + (id % userCount), model_name: "gpt-4o", content: "" };
    source.insert("logs", { id, type: 2, created_at: createdAt + id, quota: 7, ...of });
  }
  const channel = {
    id: 1,
    type: 1,
    key: "sk-upstream",
    name: "main",
    status: 1,
    models: "gpt-4o",
    group: "default",
  };
  source.insert("channels", { ...channel, base_url: upstream });
  source.insert("options", { key: "ModelRatio", value: '{"gpt-4o":1}' });
  source.insert("options", { key: "CompletionRatio", value: '{"gpt-4o":4}' });
  source.run("commit");
  return quota;
}

async function call(origin: string, key: string): Promise<number> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "2+2?" }] }),
  });
  await response.text();
  return response.status;
}

const words = (file: string): string[] => ["import", file, "--json", "--logs", "99"];

/** Counts what is here of the import: rows with a note of their own, and rows of the log. */
async function countHere(db: Db): Promise<number> {
  const noted = db.selectFrom("imported_rows").select((eb) => eb.fn.countAll<number>().as("count"));
  const logs = db
    .selectFrom("logs")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("type", "=", 9);
  const counts = [await noted.executeTakeFirstOrThrow(), await logs.executeTakeFirstOrThrow()];
  return counts.reduce((sum, { count }) => sum + Number(count), 0);
}

/**
 * Runs a command, and kills it as soon as the books are where they should be for it.
 *
 * @returns whether it was killed: it may have ended since the books were looked at.
 */
async function killedAt(
  home: Home,
  given: readonly string[],
  isThere: () => Promise<boolean>,
): Promise<boolean> {
  const { PATH = "" } = process.env;
  const child = Bun.spawn([executable, ...given], {
    env: { PATH, ...home.env },
    stdout: "ignore",
    stderr: "ignore",
  });
  while (child.exitCode === null && !(await isThere())) await Bun.sleep(2);
  child.kill("SIGKILL");
  await child.exited;
  if (child.signalCode !== "SIGKILL") expect(child.exitCode).toBe(0);
  return child.signalCode === "SIGKILL";
}

/**
 * Runs a command again and again, and kills it each time that the books have come to a place.
 *
 * @returns whether it never came to its end.
 */
async function killThrough(
  home: Home,
  given: readonly string[],
  goals: readonly number[],
  isAt: (db: Db, goal: number) => Promise<boolean>,
): Promise<boolean> {
  const { db, close } = openDatabase(addressOf(home), "reader");
  try {
    let kills = 0;
    for (const goal of goals) {
      if (await killedAt(home, given, async () => await isAt(db, goal))) kills += 1;
    }
    expect(kills).toBeGreaterThanOrEqual(goals.length / 2);
    return kills === goals.length;
  } finally {
    await close();
  }
}

function addressOf({ dialect, dataDir, env }: Home): DatabaseAddress {
  return dialect === "sqlite"
    ? { dialect, file: join(dataDir, "tollgate.db") }
    : { dialect, url: env["DATABASE_URL"] ?? "" };
}

/** Places between numbers of rows, as many for each part as there are kills. */
function placesBetween(kills: number, ...bounds: readonly number[]): number[] {
  return bounds.slice(1).flatMap((to, part) => {
    const from = bounds[part] ?? 0;
    return Array.from({ length: kills }, (_, at) =>
      Math.round(from + ((to - from) * (at + 0.5)) / kills),
    );
  });
}

/** What imported users have here, how many of them have something, and rows of the log of before. */
async function readRest(db: Db) {
  const { balance, users } = await db
    .selectFrom("balances")
    .select((eb) => [eb.fn.sum("balance").as("balance"), eb.fn.countAll().as("users")])
    .where("user_id", "<>", 1)
    .where("balance", ">", 0)
    .executeTakeFirstOrThrow();
  const { count } = await db
    .selectFrom("logs")
    .select((eb) => eb.fn.countAll().as("count"))
    .where("type", "=", 9)
    .executeTakeFirstOrThrow();
  return { balance: Number(balance), users: Number(users), logs: Number(count) };
}

async function restOf(home: Home) {
  const { db, close } = openDatabase(addressOf(home), "reader");
  try {
    return await readRest(db);
  } finally {
    await close();
  }
}

for (const dialect of testDialects) {
  test(
    `an import that is killed again and again ends as one that is not; keys and passwords work: ${dialect}`,
    async () => {
      const upstream = startUpstream();
      const age = ages.find(({ name }) => name === "new-api of 2026");
      if (age === undefined) throw new Error("there is no such age");
      const source = makeSource(age);
      const home = await makeStartedHome(dialect);
      try {
        const quota = await fill(source, upstream.url);
        // Users and keys, then the log of before.
        const rows = 2 * userCount;
        const goals = placesBetween(kills, 0, rows, rows + logCount);
        const isHere = async (db: Db, goal: number) => (await countHere(db)) >= goal;
        await killThrough(home, words(source.address), goals, isHere);
        const { code, output } = await runCommand(home, words(source.address));
        expect(output).toContain('"faults": []');
        expect(code).toBe(0);
        const again = await runCommand(home, words(source.address));
        const report = JSON.parse(again.output);
        expect(report.rows.user).toMatchObject({ created: 0, changed: 0, same: userCount });
        expect(report.rows.token).toMatchObject({ created: 0, same: userCount });
        expect(report.rows.log).toMatchObject({ read: 0 });
        expect((await runCommand(home, ["audit"])).output).toStartWith("audit: ok");

        const gateway = await startGateway(home);
        try {
          const root = await signIn(gateway.origin);
          const users = await root.call<{ items: { username: string; quota: number }[] }>(
            "GET",
            "/api/user/?p=1&page_size=100",
          );
          expect(users.items[0]?.username).toBe(`u${userCount}`);
          // Each row of the log is here once, however often the import was killed.
          const logs = await root.call<{ total: number }>("GET", "/api/log/?p=1&type=9");
          expect(logs.total).toBe(logCount);
          const statuses = new Set<number>();
          for (let id = 1; id <= userCount; id += 1) {
            statuses.add(await call(gateway.origin, keyOf(id)));
          }
          expect([...statuses]).toEqual([200]);
          expect(await call(gateway.origin, `${keyOf(2)}x`)).toBe(401);
          for (let id = 1; id <= 9; id += 1) {
            const user = { username: `u${id}`, password: passwordOf(id) };
            const own = await signIn(gateway.origin, user);
            const self = await own.send<{ quota: number }>("GET", "/api/user/self");
            const tokens = await own.send("GET", "/api/token/?p=0");
            expect(tokens.success).toBe(id !== 2);
            // Ten tokens of input, and two of output that cost four times as much.
            if (id !== 2) expect(self.data.quota).toBe(100_000 + id - 18);
          }
        } finally {
          await gateway.stop("SIGINT");
        }
        const proven = (await runCommand(home, ["audit"])).output;
        expect(proven).toStartWith("audit: ok");
        expect(proven).toContain(`${userCount * 18} quota units charged`);
        const left = quota - userCount * 18;
        expect(await restOf(home)).toEqual({ balance: left, users: userCount, logs: logCount });
        const undo = ["import", source.address, "--undo"];
        // First balances are taken back, then the log.
        const places = placesBetween(kills, userCount + logCount, logCount, 0);
        const isGone = async (db: Db, place: number) => {
          const rest = await readRest(db);
          return rest.users + rest.logs <= place;
        };
        const isUnfinished = await killThrough(home, undo, places, isGone);
        // Users and keys that were used here stay, without what came with them.
        const undone = await runCommand(home, undo);
        if (isUnfinished) expect(undone.output).toContain("Taken back: ");
        expect(await restOf(home)).toEqual({ balance: 0, users: 0, logs: 0 });
        expect((await runCommand(home, ["audit"])).output).toStartWith("audit: ok");
      } finally {
        await source.remove();
        await upstream.stop();
        await home.remove();
      }
    },
    testMs,
  );
}
