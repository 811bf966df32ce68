/** What an operator reads when the product cannot start, and what must not stop it. */

import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeStartedHome } from "#test/gateway.ts";

const executable = join(import.meta.dir, "../../../dist/tollgate");
const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-"));
  made.push(folder);
  return folder;
}

const newKey = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");

const startMaxMs = 30_000;

type Outcome = { readonly code: number; readonly said: string };

const program = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  Bun.spawn([executable, ...args], {
    env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });

async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const child = program(args, env);
  // A start that does not fail would run for ever.
  const late = setTimeout(() => child.kill("SIGKILL"), startMaxMs);
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  clearTimeout(late);
  return { code: await child.exited, said: (out + err).trim() };
}

/** Starts the product, and returns where it is and what it has printed, once it says that it is ready. */
async function startOnce(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const child = program(args, env);
  void new Response(child.stdout).text();
  let said = "";
  const ready = Promise.withResolvers<void>();
  const decoder = new TextDecoder();
  // Read to its end: a program whose standard error is closed cannot say more.
  void (async () => {
    for await (const chunk of child.stderr) {
      said += decoder.decode(chunk);
      if (/Tollgate is at http[^\n]+\n/.test(said)) ready.resolve();
    }
    ready.resolve();
  })();
  await ready.promise;
  const origin = /Tollgate is at (http\S+)/.exec(said)?.[1] ?? "";
  return { child, origin, said };
}

test("a lost secret key is told, and no new one is written beside the database, by no command", async () => {
  const home = await makeStartedHome("sqlite");
  const key = join(home.dataDir, "secret.key");
  const right = readFileSync(key, "utf8");
  try {
    rmSync(key);
    for (const args of [
      [],
      ["audit"],
      ["reset-root-password"],
      ["mend-charges", "--since", "2026-01-01"],
      ["prices", "list"],
    ]) {
      const { code, said } = await run(args, home.env);
      expect([args[0], code]).toEqual([args[0], 1]);
      expect(said.split("\n")).toHaveLength(1);
      expect(said).toContain("secret.key is missing");
      expect(existsSync(key)).toBeFalse();
    }
    writeFileSync(key, `${newKey()}\n`);
    const other = await run(["audit"], home.env);
    expect([other.code, other.said]).toEqual([
      1,
      expect.stringContaining("not the one this database was made with"),
    ]);
    writeFileSync(key, right);
    expect((await run(["audit"], home.env)).said).toContain("audit: ok");
  } finally {
    await home.remove();
  }
});

test("a secret key that a full disk cut to nothing is made at the next start, as nothing is sealed by it", async () => {
  const TOLLGATE_DATA_DIR = newFolder();
  writeFileSync(join(TOLLGATE_DATA_DIR, "secret.key"), "");
  const { child } = await startOnce({ TOLLGATE_DATA_DIR });
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
  expect(readFileSync(join(TOLLGATE_DATA_DIR, "secret.key"), "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
});

test("every start that fails says why in one line, and what to do", async () => {
  const damaged = await makeStartedHome("sqlite");
  for (const rest of ["tollgate.db-wal", "tollgate.db-shm"]) {
    // SQLite would make a whole database again of what the last start has written.
    rmSync(join(damaged.dataDir, rest), { force: true });
  }
  writeFileSync(join(damaged.dataDir, "tollgate.db"), Buffer.alloc(20_000, "not a database "));
  const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const PORT = String(other.port);
  const key = join(newFolder(), "key");
  writeFileSync(key, `${newKey()}\n`);
  const cases: readonly (readonly [readonly string[], Record<string, string>, string])[] = [
    [[], { TOLLGATE_DATA_DIR: "/dev/null/x" }, "Set it to a folder that this user may write"],
    [[], { TOLLGATE_DATA_DIR: newFolder(), HOST: "203.0.113.9" }, "is no address of this machine"],
    [[], { TOLLGATE_DATA_DIR: newFolder(), HOST: "[::1]" }, "without brackets"],
    [[], { TOLLGATE_DATA_DIR: newFolder(), PORT }, `The port ${PORT} of 127.0.0.1 is in use`],
    [[], damaged.env, "is damaged"],
    [["audit"], { TOLLGATE_DATA_DIR: newFolder() }, "There is no database in"],
    [["audit"], damaged.env, "is damaged"],
    [
      [],
      { TOLLGATE_DATA_DIR: newFolder(), TOLLGATE_SECRET_KEY_FILE: "/nowhere" },
      "cannot be read",
    ],
    [
      [],
      {
        TOLLGATE_DATA_DIR: newFolder(),
        TOLLGATE_SECRET_KEY_FILE: key,
        TOLLGATE_SECRET_KEY: "x".repeat(40),
      },
      "are both set",
    ],
    [
      [],
      { TOLLGATE_DATA_DIR: newFolder(), TOLLGATE_PORT: "3000" },
      "TOLLGATE_PORT is not a setting",
    ],
    [
      [],
      { TOLLGATE_DATA_DIR: newFolder(), NODE_EXTRA_CA_CERTS: "/nowhere.pem" },
      "NODE_EXTRA_CA_CERTS",
    ],
  ];
  try {
    for (const [args, env, words] of cases) {
      const { code, said } = await run(args, env);
      const lines = said.split("\n").filter((line) => !line.startsWith("{"));
      expect([words, code, lines.length]).toEqual([words, 1, 1]);
      expect(said).toContain(words);
    }
  } finally {
    other.stop();
    await damaged.remove();
  }
});

test("the names that Kubernetes gives a service called tollgate do not stop the start, and secrets may be files", async () => {
  const key = join(newFolder(), "key");
  writeFileSync(key, `${newKey()}\n`);
  const { child } = await startOnce({
    TOLLGATE_DATA_DIR: newFolder(),
    TOLLGATE_SECRET_KEY_FILE: key,
    TOLLGATE_SERVICE_HOST: "10.0.0.1",
    TOLLGATE_SERVICE_PORT: "3000",
    TOLLGATE_SERVICE_PORT_HTTP: "3000",
    TOLLGATE_PORT: "tcp://10.0.0.1:3000",
    TOLLGATE_PORT_3000_TCP: "tcp://10.0.0.1:3000",
    TOLLGATE_PORT_3000_TCP_PROTO: "tcp",
    TOLLGATE_PORT_3000_TCP_PORT: "3000",
    TOLLGATE_PORT_3000_TCP_ADDR: "10.0.0.1",
    TOLLGATE_WEB_SERVICE_HOST: "10.0.0.2",
  });
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
});

test("a closed terminal and a rotation of log files end no call", async () => {
  const { child, origin } = await startOnce({ TOLLGATE_DATA_DIR: newFolder() });
  for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const) {
    child.kill(signal);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  }
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
});

test("which program runs is told by the command line, the status and the metrics", async () => {
  const { code, said } = await run(["--version"], {});
  const [, version = "", commit = ""] = /^tollgate ([^,\s]+)(?:, (\S+))?$/.exec(said) ?? [];
  expect([code, version === ""]).toEqual([0, false]);
  for (const args of [["-h"], ["--help"], ["audit", "--help"]]) {
    expect(await run(args, {})).toEqual({
      code: 0,
      said: expect.stringContaining("tollgate audit"),
    });
  }
  const { child, origin } = await startOnce({ TOLLGATE_DATA_DIR: newFolder() });
  const status = (await (await fetch(`${origin}/api/status`)).json()) as { readonly data: object };
  expect(status.data).toMatchObject({ version, commit });
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  expect(metrics).toContain(`tollgate_build_info{version="${version}",commit="${commit}"} 1`);
  expect(metrics).toMatch(/^process_open_fds [1-9]\d*$/m);
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
});

test("the first call of the demo works as soon as it says where it is, also where it serves other machines", async () => {
  const { child, origin, said } = await startOnce(
    { TOLLGATE_DATA_DIR: newFolder(), HOST: "0.0.0.0" },
    ["--demo"],
  );
  const key = /Bearer (sk-\w+)/.exec(said)?.[1] ?? "";
  const answer = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "hi" }] }),
  });
  expect([said.includes("could not add everything"), answer.status]).toEqual([false, 200]);
  child.kill("SIGINT");
  await child.exited;
});
