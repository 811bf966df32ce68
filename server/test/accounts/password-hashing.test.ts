import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { eventually } from "#test/proof/ledger.ts";
import { Refusal } from "#base/refusal.ts";
import { startHashingProcess } from "#threads.ts";
import {
  type HashingEvents,
  type HashMessage,
  type HashingProcess,
  type HashingTurn,
  openHashing,
} from "#workers/hashing-client.ts";
import { openPasswords } from "#modules/passwords/hashing.ts";
import { isOutdated } from "#modules/passwords/passwords.ts";

const hashing = openHashing(startHashingProcess);
const passwords = openPasswords(hashing);
afterAll(() => hashing.close());

test("a password matches only its own hash, whatever its characters and length", async () => {
  for (const password of ["correct horse", "密码密码密码密码", "x".repeat(128)]) {
    const hash = await passwords.hash(password);
    expect(hash).toStartWith("$argon2id$v=19$m=65536,t=2,p=1$");
    expect(await passwords.verify(password, hash)).toBe(true);
    expect(await passwords.verify(`${password} `, hash)).toBe(false);
  }
});

test("no password matches for an unknown user or an account without a hash", async () => {
  expect(await passwords.verify("", null)).toBe(false);
  expect(await passwords.verify("x", "")).toBe(false);
  expect(await passwords.verify("x", "x")).toBe(false);
});

test("promises 6.5: a hash made by another one-api compatible program is accepted and replaced", async () => {
  const bcrypt = await Bun.password.hash("correct horse", { algorithm: "bcrypt", cost: 4 });
  expect(await passwords.verify("correct horse", bcrypt)).toBe(true);
  expect(await passwords.verify("wrong horse", bcrypt)).toBe(false);
  expect(isOutdated(bcrypt)).toBe(true);
  expect(isOutdated(await passwords.hash("correct horse"))).toBe(false);
});

// Programs that use bcrypt hash the first 72 bytes of a long password.
test("a long password matches the bcrypt hash that another program made of it", async () => {
  const long = "长密码".repeat(12);
  const bytes = new TextEncoder().encode(long).subarray(0, 72);
  const bcrypt = await Bun.password.hash(bytes, { algorithm: "bcrypt", cost: 4 });
  expect(await passwords.verify(long, bcrypt)).toBe(true);
  expect(await passwords.verify(long.slice(1), bcrypt)).toBe(false);
});

test("promises 6.5: a common password is refused before hashing", async () => {
  await expect(passwords.hashChosen("Password123")).rejects.toMatchObject({
    code: "invalid-input",
    field: "password",
  });
  expect(await passwords.hashChosen("correct horse")).toStartWith("$argon2id$");
});

// P-L3: a hash takes 64 MiB and a whole core, so only a few may be computed at a time.
test("of many simultaneous hashes some wait and the rest are refused as busy", async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: hashing.atOnce + 64 + 4 }, () => passwords.verify("x", "not a hash")),
  );
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");

  expect(refused).toHaveLength(4);
  for (const { reason } of refused) {
    expect(reason).toBeInstanceOf(Refusal);
    expect(reason).toMatchObject({ code: "busy" });
  }
  expect(await passwords.verify("x", null)).toBe(false);
});

test("hashes have processes of their own, so that the runtime's threads stay free for other work", async () => {
  const pooled = Bun.password;
  const before = { hash: pooled.hash, verify: pooled.verify };
  const used: string[] = [];
  pooled.hash = async () => void used.push("hash") as never;
  pooled.verify = async () => void used.push("verify") as never;
  try {
    expect(Bun.password.hash).not.toBe(before.hash);
    const hash = await passwords.hash("correct horse");
    expect(await passwords.verify("correct horse", hash)).toBe(true);
    expect(await passwords.verify("x", null)).toBe(false);
    expect(used).toEqual([]);
  } finally {
    Object.assign(pooled, before);
  }
});

const hourMs = 3_600_000;

/**
 * Hashing whose processes the test sees.
 * @param turn the same for every process, so that none takes over from another one.
 */
function openWatched(turn: HashingTurn = "at-low-priority") {
  const started: { readonly pid: number; readonly process: HashingProcess }[] = [];
  const before = new Set(childrenOf(process.pid));
  const own = openHashing((events) => {
    const made = startHashingProcess(events, turn);
    const pid = childrenOf(process.pid).find((each) => !before.has(each));
    if (pid === undefined) throw new Error("no process was started");
    before.add(pid);
    started.push({ pid, process: made });
    return made;
  }, hourMs);
  return { own, started };
}

function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
}

test("a process that ends takes its hashes with it, and the next hash has another one", async () => {
  const { own, started } = openWatched();
  const closed = own.hash("correct horse");
  own.close();
  await expect(closed).rejects.toThrow("ended");
  const killed = own.hash("correct horse");
  process.kill(started[1]?.pid ?? 0, "SIGKILL");
  await expect(killed).rejects.toThrow("ended");
  expect(await own.hash("correct horse")).toStartWith("$argon2id$");
  expect(started).toHaveLength(3);
  own.close();
});

// P-L3: 300 simultaneous sign-ins must not slow down the calls that are relayed meanwhile.
test("a process that hashes gets a core only while no other thread wants it", async () => {
  const { own, started } = openWatched("when-idle");
  const closed = own.hash("correct horse");
  const { pid } = started[0] ?? { pid: 0 };
  const policies = await eventually(
    async () => readdirSync(`/proc/${pid}/task`).map((task) => policyOf(pid, task)),
    ({ length }) => length > 1,
    { what: "the threads of the hashing process" },
  );
  // 5 is SCHED_IDLE, see sched(7).
  expect(new Set(policies)).toEqual(new Set(["5"]));
  own.close();
  await expect(closed).rejects.toThrow("ended");
});

/** Returns the scheduling policy of a thread: field 41 of its `stat`, see proc_pid_stat(5). */
function policyOf(pid: number, task: string): string | undefined {
  const text = readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8");
  // The name in parentheses may contain spaces; behind it comes field 3.
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[41 - 3];
}

test("while no core is ever idle, a process that gets its share takes over every hash", async () => {
  const started: { readonly turn: HashingTurn; readonly events: HashingEvents }[] = [];
  const sent: HashMessage[] = [];
  const killed: HashingTurn[] = [];
  const starved = openHashing((events, turn) => {
    started.push({ turn, events });
    return {
      send(message) {
        if (turn === "when-idle") return;
        sent.push(message);
        events.answered({ id: message.id, result: `hash of ${message.password}` });
      },
      kill: () => void killed.push(turn),
    };
  }, 1);
  const passwords = Array.from({ length: starved.atOnce * 2 }, (_, index) => `password ${index}`);
  const hashes = await Promise.all(passwords.map((password) => starved.hash(password)));

  expect(hashes).toEqual(passwords.map((password) => `hash of ${password}`));
  expect(sent).toHaveLength(passwords.length);
  expect(killed).toEqual(Array.from({ length: starved.atOnce }, () => "when-idle"));
  // The process that was ended reports that late, and one answer may still have been on its way.
  for (const { turn, events } of started) {
    if (turn !== "when-idle") continue;
    events.answered({ id: 1, result: "late" });
    events.ended();
  }
  expect(await starved.hash("another")).toBe("hash of another");
  starved.close();
});

test("Ctrl-C in the terminal does not end a hash while the gateway drains", async () => {
  const { own, started } = openWatched();
  expect(await own.hash("correct horse")).toStartWith("$argon2id$");
  const running = own.hash("correct horse");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(started[0]?.pid ?? 0, signal);
  expect(await running).toStartWith("$argon2id$");
  expect(started).toHaveLength(1);
  own.close();
});

test("other users of the machine see neither passwords nor the gateway's secrets", async () => {
  process.env["TOLLGATE_SECRET_KEY"] = "0123456789abcdef".repeat(4);
  try {
    const { own, started } = openWatched();
    await own.hash("correct horse battery");
    const pid = started[0]?.pid ?? 0;
    const seen = ["cmdline", "environ"].map((file) => readFileSync(`/proc/${pid}/${file}`, "utf8"));
    expect(seen.join("")).toContain("BUN_BE_BUN");
    expect(seen.join("")).not.toContain("correct horse");
    expect(seen.join("")).not.toContain("0123456789abcdef");
    own.close();
  } finally {
    delete process.env["TOLLGATE_SECRET_KEY"];
  }
});

test("a hashing process ends with the gateway, however that ends", async () => {
  const program = `
    import { startHashingProcess } from "#threads.ts";
    import { type HashingEvents, type HashMessage, type HashingProcess, type HashingTurn, openHashing } from "#workers/hashing-client.ts";
    console.log(await openHashing(startHashingProcess).hash("correct horse"));
    await new Promise(() => setInterval(() => {}, 1_000));
  `;
  const gateway = Bun.spawn([process.execPath, "--no-env-file", "-"], {
    cwd: join(import.meta.dir, "../../src"),
    stdin: new Blob([program]),
    stdout: "pipe",
  });
  const { value } = await gateway.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toStartWith("$argon2id$");
  // A second process takes over from one that got no processor for a second.
  const hashing = childrenOf(gateway.pid);
  expect(hashing.length).toBeGreaterThan(0);
  gateway.kill("SIGKILL");
  await gateway.exited;
  await eventually(
    async () =>
      hashing
        .filter((pid) => existsSync(`/proc/${pid}/cmdline`))
        .map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8")),
    (commands) => commands.every((command) => command === ""),
    { what: "the command lines of the hashing processes" },
  );
});
