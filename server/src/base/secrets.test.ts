import { expect, test } from "bun:test";
import { jwtVerify } from "jose";
import { hashText, openSecrets, randomText, sameText, SecretError, signToken } from "./secrets.ts";

const key = "7f3b9c0d1e2a4f5b8c6d7e9f0a1b2c3d";
const secrets = openSecrets(key);

test("a sealed text opens with its own context only, and each sealing differs", () => {
  const sealed = secrets.seal("tokens|7", "hunter2 密");

  expect(secrets.open("tokens|7", sealed)).toBe("hunter2 密");
  expect(() => secrets.open("tokens|8", sealed)).toThrow(SecretError);
  expect(secrets.seal("tokens|7", "hunter2 密")).not.toBe(sealed);
  expect(Buffer.from(sealed, "base64").toString("latin1")).not.toContain("hunter2");
});

test("a changed byte, a cut text and another key are refused", () => {
  const sealed = Buffer.from(secrets.seal("tokens|7", "hunter2"), "base64");
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => secrets.open("tokens|7", changed.toString("base64"))).toThrow(SecretError);
  }
  for (const text of ["", "AQ==", sealed.subarray(0, -1).toString("base64")]) {
    expect(() => secrets.open("tokens|7", text)).toThrow(SecretError);
  }
  const other = openSecrets(`${key}0`);
  expect(() => other.open("tokens|7", sealed.toString("base64"))).toThrow(SecretError);
});

// Stored lookups must be found again after a restart, but must not work in another installation.
test("a lookup is the same for the same key and use, and different for any other", () => {
  const lookup = secrets.lookup("token", "abc");

  expect(openSecrets(key).lookup("token", "abc")).toBe(lookup);
  expect(secrets.lookup("access-token", "abc")).not.toBe(lookup);
  expect(openSecrets(`${key}0`).lookup("token", "abc")).not.toBe(lookup);
  expect(lookup).toMatch(/^[0-9a-f]{64}$/);
});

test("the fingerprint identifies a key without revealing it", () => {
  expect(openSecrets(key).fingerprint).toBe(secrets.fingerprint);
  expect(openSecrets(`${key}0`).fingerprint).not.toBe(secrets.fingerprint);
  expect(secrets.fingerprint).not.toContain(key.slice(0, 8));
});

test("a short key, a repeated pattern and an example key are refused", () => {
  for (const weak of [
    "",
    "a1b2c3d4e5f60718",
    "0".repeat(64),
    "ababababababababababababababababab",
    "change-me-to-a-long-random-secret-key",
  ]) {
    expect(() => openSecrets(weak)).toThrow(SecretError);
  }
});

test("random text has its length, and uses every letter and digit about equally often", () => {
  const text = randomText(62_000);
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);

  expect(text).toHaveLength(62_000);
  expect(counts.size).toBe(62);
  // Each letter and digit occurs 1,000 times on average, with a standard deviation of 32; seven
  // deviations practically never occur by chance.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(220);
});

test("texts are equal only as a whole", () => {
  expect(sameText("abc", "abc")).toBe(true);
  expect(sameText("abc", "abd")).toBe(false);
  expect(sameText("abc", "abcd")).toBe(false);
  expect(hashText("abc")).toStartWith("ba7816bf");
});

test("whoever has the secret can verify a token, with its header and its claims", async () => {
  const token = signToken({ typ: "JWT" }, { iss: "access key", exp: 4_000_000_000 }, "secret");
  const { payload, protectedHeader } = await jwtVerify(token, new TextEncoder().encode("secret"));
  expect(payload).toEqual({ iss: "access key", exp: 4_000_000_000 });
  expect(protectedHeader).toEqual({ alg: "HS256", typ: "JWT" });
  const other = jwtVerify(token, new TextEncoder().encode("another secret"));
  await expect(other).rejects.toThrow("signature verification failed");
});
