/** Codes a person types: those of an authenticator app, and recovery codes. */

import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import type { Secrets } from "#base/secrets.ts";

/** What every authenticator app takes without being asked. Source: RFC 6238 §5.2, §4. */
const totp = { algorithm: "SHA1", digits: 6, period: 30 } as const;

/** 160 bits, the length of the hash. Source: RFC 4226 §4 R6. */
const secretBytes = 20;

/** Steps that a clock may be ahead or behind. */
const window = 1;

export function newTotpSecret(): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer }).base32;
}

/** What a QR code shows an app. */
export function totpUri(secret: string, issuer: string, label: string): string {
  return new TOTP({ ...totp, issuer, label, secret: Secret.fromBase32(secret) }).toString();
}

/** The step a code belongs to, counted from 1970; undefined: none of these moments. */
export function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  const delta = TOTP.validate({
    ...totp,
    token: code,
    secret: Secret.fromBase32(secret),
    timestamp: nowMs,
    window,
  });
  if (delta === null) return undefined;
  return TOTP.counter({ period: totp.period, timestamp: nowMs }) + delta;
}

/** Six digits, with or without a space in their middle. */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(bareCode(code));
}

/** As it is compared: without what people write between groups. */
export function bareCode(code: string): string {
  return code.replaceAll(/[\s-]/g, "").toLowerCase();
}

/** Letters and digits that are not taken for one another: 32, so 5 bits each. */
const letters = "abcdefghjkmnpqrstuvwxyz023456789";

/** 50 random bits, in two groups. */
export function newRecoveryCode(): string {
  const code = Array.from(randomBytes(10), (byte) => letters.charAt(byte % 32)).join("");
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}

/** What a recovery code is found by. */
export function recoveryLookup(secrets: Secrets, userId: number, code: string): string {
  return secrets.lookup("recovery-code", `${userId}:${bareCode(code)}`);
}

/** Context that a user's secret is sealed for. */
export function totpContext(userId: number): string {
  return `totp_secrets|${userId}`;
}
