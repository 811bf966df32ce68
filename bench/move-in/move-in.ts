/**
 * Moves another gateway in at full size: `bun bench/move-in/move-in.ts [source] [target] [users] [logs]`.
 * Sources are `sqlite`, `mariadb`, `postgres` (all new-api), `litellm`, and `ages`: every other program
 * and age, one after the other. Targets are `sqlite` and `postgres`. It makes as many users, twice as many keys, 50 channels and log rows, imports them with
 * the built command, and checks sums, keys, passwords, a second run, the audit and the undo. It prints
 * how long each took, and the memory of the command beside that of a gateway with the same data. The
 * servers come from `node scripts/postgres.mjs -- bun bench/move-in/move-in.ts`.
 */

import { readFileSync } from "node:fs";
import {
  ages,
  makeMariaSource,
  makePostgresSource,
  makeSource,
  type Source,
} from "@tollgate/server/src/commands/import/testing/sources.ts";
import { makeLitellmSource } from "@tollgate/server/src/commands/import/testing/litellm.ts";
import { seededRandom } from "@tollgate/server/src/base/testing/random.ts";
import {
  executable,
  type Gateway,
  type Home,
  makeStartedHome,
  startGateway,
} from "@tollgate/server/test/gateway.ts";
import { fillFullLitellm, fillNewApi, keyOf, litellmKeyOf, passwordOf } from "./rows.ts";

const newest = "new-api of 2026";
const [asked = "sqlite", targetText = "sqlite", usersText = "100000", logsText = "1000000"] =
  process.argv.slice(2);
const target = targetText === "postgres" ? "postgres" : "sqlite";
const users = Number(usersText);
const logs = Number(logsText);
const callCount = 1_000;
const passwordCount = 100;
const upstream = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () =>
    Response.json({
      id: "c",
      object: "chat.completion",
      model: "gpt-4o",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "4" } }],
      usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
    }),
});

const others = ages.map(({ name }) => name).filter((name) => name !== newest);
for (const kind of asked === "ages" ? others : [asked]) await moveIn(kind);
await upstream.stop(true);

/** @param kind one of the sources, or the name of an age. */
async function moveIn(kind: string): Promise<void> {
  tell(`from ${kind} to ${target}:`);
  const source = await openSource(kind);
  const home = await makeStartedHome(target);
  try {
    const fresh = await started(home, async () => {});
    tell(`an empty gateway has ${fresh} MiB`);
    const address = `http://127.0.0.1:${upstream.port}`;
    const expected = await timed("the source", () =>
      kind === "litellm"
        ? fillFullLitellm(source, users, address)
        : fillNewApi(source, { kind, users, logs, passwords: passwordCount, upstream: address }),
    );
    const words = ["import", source.address, "--json", "--unlimited", "20", "--logs", "9999"];
    const planned = await timed("the dry run", () => report(home, [...words, "--dry-run"]));
    expectSame("planned balances", planned.sums.balance, expected);
    const done = await timed("the import", () => report(home, words));
    expectSame("rows", JSON.stringify(done.rows), JSON.stringify(planned.rows));
    expectSame("sums", JSON.stringify(done.sums), JSON.stringify(planned.sums));
    const { user, token, channel, log } = done.rows;
    tell(
      `came: ${user.created} users, ${token.created} keys, ${channel.created} channels, ${log.created} log rows; balances ${done.sums.balance}`,
    );
    const again = await timed("a second run", () => report(home, words));
    const late = Object.values(again.rows).reduce(
      (sum, { created, changed }) => sum + created + changed,
      0,
    );
    expectSame("what a second run brings", late, 0);
    await timed("the audit", () => command(home, ["audit"]));
    const full = await started(home, async (gateway) => await useGateway(gateway, kind));
    tell(`a gateway with all of it has ${full} MiB`);
    await timed("the audit after the calls", () => command(home, ["audit"]));
    const undone = await timed("the undo", () =>
      command(home, ["import", "--undo", source.address]),
    );
    tell(
      undone.split("\n").findLast((line) => line.startsWith("Taken back")) ??
        "nothing was taken back",
    );
    await timed("the audit after the undo", () => command(home, ["audit"]));
    tell("all is as it must be");
  } finally {
    await source.remove();
    await home.remove();
  }
}

async function openSource(kind: string): Promise<Source> {
  const age = ages.find(({ name }) => name === kind) ?? ages.find(({ name }) => name === newest);
  if (age === undefined) throw new Error("there is no such age");
  if (kind === "litellm") return await makeLitellmSource();
  if (kind === "postgres") return await makePostgresSource(age);
  return kind === "mariadb" ? await makeMariaSource(age) : makeSource(age);
}

/** Calls with keys from everywhere, and signs some users in. */
async function useGateway(gateway: Gateway, kind: string): Promise<void> {
  const random = seededRandom(41);
  const key = kind === "litellm" ? litellmKeyOf : keyOf;
  const statuses = new Map<number, number>();
  await timed(`${callCount} keys`, async () => {
    for (let call = 0; call < callCount; call += 1) {
      const status = await chat(gateway.origin, key(random.between(1, 2 * users)));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  expectSame("answers", JSON.stringify([...statuses]), JSON.stringify([[200, callCount]]));
  expectSame("an unknown key", await chat(gateway.origin, `${key(1)}x`), 401);
  if (kind === "litellm") return;
  await timed(`${passwordCount} passwords`, async () => {
    for (let id = 1; id <= passwordCount; id += 1) {
      await signInFrom(gateway.origin, id);
    }
  });
}

/** Signs a user in from an address of its own, because attempts of one address are limited. */
async function signInFrom(origin: string, id: number): Promise<void> {
  const response = await fetch(`${origin}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": `10.0.0.${id}` },
    body: JSON.stringify({ username: `u${id}`, password: passwordOf(id) }),
  });
  const answer = await response.text();
  if (!answer.includes('"success":true')) throw new Error(`user ${id}: ${answer}`);
}

async function chat(origin: string, key: string): Promise<number> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "2+2?" }] }),
  });
  await response.text();
  return response.status;
}

/** Starts a gateway, waits until its memory has settled, and uses it. @returns MiB. */
async function started(home: Home, use: (gateway: Gateway) => Promise<void>): Promise<number> {
  const gateway = await timed("a start", () =>
    startGateway(home, { env: { TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" } }),
  );
  await Bun.sleep(5_000);
  const [, kib = "0"] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8")) ?? [];
  try {
    await use(gateway);
  } finally {
    await gateway.stop("SIGINT");
  }
  return Math.round(Number(kib) / 1_024);
}

type Counts = { readonly created: number; readonly changed: number };
type ImportReport = {
  readonly rows: Readonly<Record<"channel" | "log" | "token" | "user", Counts>>;
  readonly sums: { readonly balance: number };
  readonly faults: readonly object[];
};

async function report(home: Home, words: readonly string[]): Promise<ImportReport> {
  // Safe cast: the command writes its report so.
  const found = JSON.parse(await command(home, words)) as ImportReport;
  if (found.faults.length > 0) throw new Error(JSON.stringify(found.faults.slice(0, 3)));
  return found;
}

async function command(home: Home, words: readonly string[]): Promise<string> {
  const { PATH = "" } = process.env;
  const child = Bun.spawn([executable, ...words], {
    env: { PATH, ...home.env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const errors = new Response(child.stderr).text();
  const output = await new Response(child.stdout).text();
  const code = await child.exited;
  if (code !== 0) throw new Error(`${words.join(" ")}: ${code}\n${output}\n${await errors}`);
  const mib = Math.round((child.resourceUsage()?.maxRSS ?? 0) / 1_048_576);
  tell(`  ${words[0]} took ${mib} MiB at most`);
  return output;
}

function expectSame(what: string, found: number | string, wanted: number | string): void {
  if (found !== wanted) throw new Error(`${what}: ${found}, not ${wanted}`);
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const began = performance.now();
  const result = await work();
  tell(`${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  return result;
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
