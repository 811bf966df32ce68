import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { openSecrets } from "#base/secrets.ts";
import {
  isTotpCode,
  newRecoveryCode,
  newTotpSecret,
  recoveryLookup,
  stepOf,
  totpUri,
} from "./codes.ts";

// The secret "12345678901234567890" of the test vectors in RFC 6238, appendix B, in base32. Their
// codes are cut to six digits here.
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const known: [number, string][] = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_234_567_890, "005924"],
  [20_000_000_000, "353130"],
];

test("the codes equal those that authenticator apps show", () => {
  for (const [seconds, code] of known) {
    const step = Math.floor(seconds / 30);
    for (const off of [-30, 0, 30]) {
      expect(stepOf(secret, code, (seconds + off) * 1_000)).toBe(step);
    }
    expect(stepOf(secret, code, (seconds + 60) * 1_000)).toBeUndefined();
    expect(stepOf(secret, code, (seconds - 60) * 1_000)).toBeUndefined();
  }
  expect(stepOf(secret, "000000", 59_000)).toBeUndefined();
});

test("a secret has 160 bits, and its URI is valid with any characters in the names", () => {
  const made = newTotpSecret();
  expect(made).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(made);
  const uri = new URL(totpUri(made, "网关: A&B", "爱丽丝"));
  expect(uri.searchParams.get("secret")).toBe(made);
  expect(uri.searchParams.get("issuer")).toBe("网关: A&B");
});

test("a recovery code is found in any typed form, and only for its own user", () => {
  const secrets = openSecrets(randomBytes(32).toString("hex"));
  const code = newRecoveryCode();
  const lookup = recoveryLookup(secrets, 1, code);
  expect(isTotpCode(code)).toBe(false);
  for (const typed of [code.toUpperCase(), code.replace("-", ""), ` ${code.replace("-", " ")} `]) {
    expect(recoveryLookup(secrets, 1, typed)).toBe(lookup);
  }
  expect(recoveryLookup(secrets, 2, code)).not.toBe(lookup);
  expect(isTotpCode("123 456")).toBe(true);
});
