import { expect, test } from "bun:test";
import { Refusal } from "#base/refusal.ts";
import { openPasswords } from "./hashing.ts";
import { isOutdated } from "./passwords.ts";

const passwords = openPasswords();

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

// P-L3: each hash takes 64 MiB and a core.
test("of many simultaneous hashes some wait and the rest are refused as busy", async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 70 }, () => passwords.verify("x", "not a hash")),
  );
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");

  expect(refused).toHaveLength(4);
  for (const { reason } of refused) {
    expect(reason).toBeInstanceOf(Refusal);
    expect(reason).toMatchObject({ code: "busy" });
  }
  expect(await passwords.verify("x", null)).toBe(false);
});
