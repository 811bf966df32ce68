import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { Refusal } from "#base/refusal.ts";
import { startHashingWorker } from "#threads.ts";
import { openHashing } from "#workers/hashing-client.ts";
import { openPasswords } from "#modules/passwords/hashing.ts";
import { isOutdated } from "#modules/passwords/passwords.ts";

// Hashing in one thread of low priority takes minutes while other programs keep all cores busy.
setDefaultTimeout(180_000);

const hashing = openHashing(startHashingWorker);
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
    Array.from({ length: hashing.threads + 64 + 4 }, () => passwords.verify("x", "not a hash")),
  );
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");

  expect(refused).toHaveLength(4);
  for (const { reason } of refused) {
    expect(reason).toBeInstanceOf(Refusal);
    expect(reason).toMatchObject({ code: "busy" });
  }
  expect(await passwords.verify("x", null)).toBe(false);
});

test("hashes have threads of their own, so that the runtime's stay free for other work", async () => {
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

test("a thread that ends takes its hashes with it, and the next hash has another one", async () => {
  const started: Worker[] = [];
  const own = openHashing(() => {
    const worker = startHashingWorker();
    started.push(worker);
    return worker;
  });
  const lost = own.hash("correct horse");
  own.close();
  await expect(lost).rejects.toThrow("ended");
  expect(await own.hash("correct horse")).toStartWith("$argon2id$");
  expect(started).toHaveLength(2);
  own.close();
});
