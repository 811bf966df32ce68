import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { openDatabase } from "#db/connection.ts";
import { testDialects } from "#db/testing/database.ts";
import { signIn } from "#test/console.ts";
import {
  type Gateway,
  type Home,
  makeHome,
  makeStartedHome,
  runCommand,
  type Settings,
  startGateway,
} from "#test/gateway.ts";
import { eventually, readSelf } from "./ledger.ts";
import { eventsOf, isWhole, sendChat } from "./chat-call.ts";
import { addressOf } from "./database-after.ts";
import { untilCalled } from "./demo-process.ts";
import { addSpender, openInstallation } from "./installation.ts";

/** Reads the token of the set-up link, which follows the address in the output. */
async function setupTokenOf({ output }: Gateway): Promise<string> {
  const token = await eventually(
    async () => /setup#token=(\S+)\s/.exec(output())?.[1],
    (found) => found !== undefined,
    { what: "the set-up link" },
  );
  return token ?? "";
}

const noRoot: Settings = { TOLLGATE_ROOT_USERNAME: undefined, TOLLGATE_ROOT_PASSWORD: undefined };

/** Starts a gateway that must refuse to start. Returns the only line that it prints. */
async function refusalIn(home: Home, env: Settings): Promise<string> {
  const { code, output } = await runCommand(home, [], { PORT: "0", ...env });
  expect(code).not.toBe(0);
  const lines = output.trim().split("\n");
  expect(lines.length, output).toBe(1);
  return lines[0] ?? "";
}

test("an unknown or invalid setting stops the start with one line", async () => {
  const home = await makeHome("sqlite");
  for (const [name, value] of [
    ["TOLLGATE_DATADIR", "/tmp"],
    ["PORT", "http"],
    ["TOLLGATE_LOG", "loud"],
    ["TOLLGATE_SECRET_KEY", "short"],
    ["TOLLGATE_SECRET_KEY", "change-me-to-a-long-random-secret-key"],
    ["TOLLGATE_TRUSTED_PROXIES", "10.0.0.0/99"],
    ["TOLLGATE_PLAIN_HTTP", "perhaps"],
    ["DATABASE_URL", "mysql://localhost/x"],
  ] as const) {
    expect(await refusalIn(home, { [name]: value })).toContain(name);
  }
  await home.remove();
});

for (const dialect of testDialects) {
  describe(dialect, () => {
    let home: Home;
    let running: Gateway[];
    beforeEach(async () => {
      home = await makeHome(dialect);
      running = [];
    });
    afterEach(async () => {
      for (const gateway of running) await gateway.kill();
      await home.remove();
    });

    async function startHere(env: Settings = {}): Promise<Gateway> {
      const gateway = await startGateway(home, { env });
      running.push(gateway);
      return gateway;
    }

    const refusalOf = async (env: Settings): Promise<string> => await refusalIn(home, env);

    /** Replaces the home by one on which the gateway was started before. */
    async function useStartedHome(): Promise<void> {
      await home.remove();
      home = await makeStartedHome(dialect);
    }

    test("other users of the machine can read nothing in the data folder, or the start tells it", async () => {
      const gateway = await startHere();
      await signIn(gateway.origin);
      const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
      const names = readdirSync(home.dataDir);
      expect(names).toContain(dialect === "sqlite" ? "tollgate.db-wal" : "owner.lock");
      for (const name of names) {
        expect([name, modeOf(join(home.dataDir, name))]).toEqual([name, "600"]);
      }
      expect(gateway.output()).not.toContain("WARNING");
      await gateway.kill();

      const made = join(home.dataDir, "made");
      await (await startHere({ TOLLGATE_DATA_DIR: made })).kill();
      expect(modeOf(made)).toBe("700");

      // With PostgreSQL the folder holds nothing that nobody may read.
      chmodSync(home.dataDir, dialect === "sqlite" ? 0o755 : 0o777);
      const open = await startHere();
      await eventually(
        async () => open.output(),
        (text) => text.includes(`chmod -R go= ${home.dataDir}`),
        { what: "the warning" },
      );
    });

    test("a secret key other than the one that sealed the secrets is refused", async () => {
      const env = { TOLLGATE_SECRET_KEY: "a".repeat(10) + "0123456789abcdef".repeat(3) };
      expect(await (await startHere(env)).stop("SIGINT")).toBe(0);
      const other = { TOLLGATE_SECRET_KEY: "b".repeat(10) + "0123456789abcdef".repeat(3) };
      const line = await refusalOf(other);
      expect(line.toLowerCase()).toContain("key");
      expect(line).not.toContain(other.TOLLGATE_SECRET_KEY);
      expect(await (await startHere(env)).stop("SIGINT")).toBe(0);
    });

    test("a database of a newer version is refused", async () => {
      await useStartedHome();
      const opened = openDatabase(addressOf(home), "writer");
      await sql`insert into schema_migrations (name) values ('29990101-0000-later')`.execute(
        opened.db,
      );
      await opened.close();
      expect(await refusalOf({})).toContain("newer version");
    });

    test("health, readiness and metrics answer without sign-in", async () => {
      await useStartedHome();
      const { origin } = await startHere();
      for (const path of ["/healthz", "/readyz", "/metrics"]) {
        const answer = await fetch(origin + path);
        expect(answer.status, path).toBe(200);
      }
      const metrics = await (await fetch(`${origin}/metrics`)).text();
      expect(metrics).toContain("tollgate_holds_open 0");
    });

    test("the printed link creates one root, once, however many use it at the same time", async () => {
      const gateway = await startHere(noRoot);
      const { origin } = gateway;
      const token = await setupTokenOf(gateway);
      expect(token.length).toBeGreaterThanOrEqual(20);
      const password = "a long enough password";
      const setUp = async (sent: string, index: number): Promise<number> => {
        const account = { username: `chief${index}`, password, confirmPassword: password };
        const answer = await fetch(`${origin}/api/setup`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ token: sent, ...account }),
        });
        return answer.status;
      };
      expect(await setUp(`${token}x`, 99)).toBe(400);
      const statuses = await Promise.all(Array.from({ length: 10 }, (_, at) => setUp(token, at)));
      const winners = statuses.flatMap((status, at) => (status === 200 ? [at] : []));
      expect(winners.length).toBe(1);
      expect(await setUp(token, 98)).toBe(400);
      const root = await signIn(origin, { username: `chief${winners[0]}`, password });
      expect((await readSelf(root)).role).toBe(100);
      const users = await root.call<{ total: number }>("GET", "/api/user/?p=1&page_size=10");
      expect(users.total).toBe(1);
    });

    test("a start without a root account prints a new link, a start with one prints none", async () => {
      const tokens: string[] = [];
      for (const _ of [1, 2]) {
        const gateway = await startHere(noRoot);
        tokens.push(await setupTokenOf(gateway));
        expect(await gateway.stop("SIGINT")).toBe(0);
      }
      expect(new Set(tokens).size).toBe(2);
      const gateway = await startHere();
      expect(await gateway.stop("SIGINT")).toBe(0);
      // The process has ended, so its output is complete.
      expect(gateway.output()).not.toContain("setup#");
    });
  });
}

test("a second process on the same SQLite folder is refused with the owner's pid", async () => {
  const home = await makeHome("sqlite");
  const gateway = await startGateway(home);
  const { code, output } = await runCommand(home, [], { PORT: "0" });
  expect(code).not.toBe(0);
  expect(output).toContain(String(gateway.pid));
  expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(200);
  await gateway.kill();
  // The killed process no longer holds the lock on the data folder, so the next one can take it.
  const next = await startGateway(home);
  expect(await next.stop("SIGINT")).toBe(0);
  await home.remove();
});

test("the demo starts again after root has chosen another password, and says what is missing", async () => {
  const home = await makeHome("sqlite");
  const args = ["--demo"];
  const first = await startGateway(home, { args, env: noRoot });
  try {
    await eventually(
      async () => first.output(),
      (said) => said.includes('"stream":true'),
      {
        what: "the demo's calls",
      },
    );
    const [, username = "", password = ""] =
      /Sign in as (\S+) with password (\S+)/.exec(first.output()) ?? [];
    const root = await signIn(first.origin, { username, password });
    const changed = "a password of my own";
    await root.call("PUT", "/api/user/self", { original_password: password, password: changed });
    expect(await first.stop("SIGINT")).toBe(0);

    const again = await startGateway(home, { args, env: noRoot });
    try {
      const said = await eventually(
        async () => again.output(),
        (text) => text.includes("base URL http://"),
        { what: "the demo's report" },
      );
      expect(said).toContain("a sign-in as root");
      expect(said).not.toContain(password);
      expect((await fetch(`${again.origin}/readyz`)).status).toBe(200);
      const channels = await (
        await signIn(again.origin, { username, password: changed })
      ).call<{ name: string; base_url: string }[]>("GET", "/api/channel/search?keyword=demo");
      const names = channels.map(({ name }) => name);
      expect(names.filter((name) => name === "demo")).toHaveLength(1);
      expect(new Set(names).size).toBe(names.length);
      // The channel of the first start still leads to the upstream, unless another demo on this
      // machine had the usual port at one of the two starts.
      const usual = "http://127.0.0.1:3999";
      if (first.output().includes(usual) && said.includes(usual)) {
        for (const channel of channels) expect(channel.base_url).toStartWith(usual);
      }
      expect(await again.stop("SIGINT")).toBe(0);
    } finally {
      await again.kill();
    }

    const env = { TOLLGATE_ROOT_USERNAME: username, TOLLGATE_ROOT_PASSWORD: changed };
    const told = await startGateway(home, { args, env });
    await eventually(
      async () => told.output(),
      (text) => text.includes('"stream":true'),
      {
        what: "the demo's calls",
      },
    );
    expect(told.output()).not.toContain("could not add");
    expect(await told.stop("SIGINT")).toBe(0);
  } finally {
    await first.kill();
    await home.remove();
  }
});

test("the demo starts on a data folder that was set up without it", async () => {
  const home = await makeHome("sqlite");
  const plain = await startGateway(home);
  expect(await plain.stop("SIGINT")).toBe(0);
  const demo = await startGateway(home, { args: ["--demo"], env: noRoot });
  try {
    await eventually(
      async () => demo.output(),
      (said) => said.includes("base URL http://"),
      {
        what: "the demo's report",
      },
    );
    await signIn(demo.origin);
    expect(await demo.stop("SIGINT")).toBe(0);
  } finally {
    await demo.kill();
    await home.remove();
  }
});

test("on SIGTERM running calls end, new ones are refused, and the exit code is 0", async () => {
  const place = await openInstallation("sqlite", {
    models: [
      {
        name: "draining",
        script: { promptTokens: 17, events: 20, eventDelayMs: 150 },
        ratio: 2,
        completionRatio: 3,
      },
    ],
  });
  try {
    const { key, client } = await addSpender(place, 1_000_000);
    const running = [true, false].map((stream) =>
      sendChat(place.origin, { key, model: "draining", stream }),
    );
    await untilCalled(place.demo, { count: running.length, afterId: 0 });
    const gateway = place.gateway();
    const exit = gateway.stop();
    const ready = await eventually(
      () => fetch(`${place.origin}/readyz`),
      ({ status }) => status === 503,
      { what: "not ready any more" },
    );
    expect(ready.headers.get("connection")).toBe("close");
    expect((await fetch(`${place.origin}/healthz`)).status).toBe(200);

    const [stream, plain] = await Promise.all(running.map(({ answer }) => answer));
    expect(stream && isWhole(stream, true), stream?.text.slice(-300)).toBe(true);
    expect(stream && eventsOf(stream.text).length).toBeGreaterThan(20);
    expect(plain && isWhole(plain, false), plain?.text.slice(-300)).toBe(true);
    expect(await exit).toBe(0);

    await place.start();
    const self = await readSelf(client);
    expect(self.used_quota).toBe(308); // 2 calls × (17 + 20 × 3) × 2
    expect(self.request_count).toBe(2);
    expect(await place.gateway().stop("SIGINT")).toBe(0);
    expect((await runCommand(place.home, ["audit"])).code).toBe(0);
  } finally {
    await place.close();
  }
});
