/**
 * Another gateway's users move in with the command that an operator types, which is killed at any
 * point and repeated: afterwards their keys are answered, their passwords sign in, and the books are
 * proven.
 */

import { expect, test } from "bun:test";
import { makeSource, ages, type Source } from "#commands/import/testing/sources.ts";
import { testDialects } from "#db/testing/database.ts";
import { signIn } from "#test/console.ts";
import { executable, type Home, makeStartedHome, runCommand, startGateway } from "#test/gateway.ts";

const testMs = 600_000;
const userCount = 300;
const kills = 6;
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

/** Starts the import, and kills it after a time. @returns whether it was killed before its end. */
async function killedImport(home: Home, file: string, afterMs: number): Promise<boolean> {
  const { PATH = "" } = process.env;
  const child = Bun.spawn([executable, "import", file, "--json"], {
    env: { PATH, ...home.env },
    stdout: "ignore",
    stderr: "ignore",
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  await child.exited;
  clearTimeout(timer);
  return child.signalCode === "SIGKILL";
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
        let killed = 0;
        for (let turn = 1; turn <= kills; turn += 1) {
          if (await killedImport(home, source.address, 250 + turn * 130)) killed += 1;
        }
        expect(killed).toBeGreaterThan(0);
        const { code, output } = await runCommand(home, ["import", source.address, "--json"]);
        expect(output).toContain('"faults": []');
        expect(code).toBe(0);
        const again = await runCommand(home, ["import", source.address, "--json"]);
        const report = JSON.parse(again.output);
        expect(report.rows.user).toMatchObject({ created: 0, changed: 0, same: userCount });
        expect(report.rows.token).toMatchObject({ created: 0, same: userCount });
        expect((await runCommand(home, ["audit"])).output).toStartWith("audit: ok");

        const gateway = await startGateway(home);
        try {
          const root = await signIn(gateway.origin);
          const users = await root.call<{ items: { username: string; quota: number }[] }>(
            "GET",
            "/api/user/?p=1&page_size=100",
          );
          expect(users.items[0]?.username).toBe(`u${userCount}`);
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
        const undone = await runCommand(home, ["import", source.address, "--undo"]);
        expect(undone.output).toContain(
          `Taken back: 0 rows, ${quota - userCount * 18} quota units`,
        );
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
