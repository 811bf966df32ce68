/** Codes that a person types: authenticator app codes and recovery codes. */

import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import type { Secrets } from "#base/secrets.ts";

/** Parameters that every authenticator app uses by default. Source: RFC 6238 §5.2, §4. */
const totp = { algorithm: "SHA1", digits: 6, period: 30 } as const;

/** 160 bits, the length of the hash output. Source: RFC 4226 §4 R6. */
const secretBytes = 20;

/** Time steps by which the user's clock may be ahead or behind. */
const window = 1;

export function newTotpSecret(): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer }).base32;
}

/** The URI inside the QR code that an authenticator app scans. */
export function totpUri(secret: string, issuer: string, label: string): string {
  return new TOTP({ ...totp, issuer, label, secret: Secret.fromBase32(secret) }).toString();
}

/**
 * The time step that a code belongs to, counted from 1970. Undefined if the code matches no
 * accepted step.
 */
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

/** Six digits, with or without a space in the middle. */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(bareCode(code));
}

/** A code in the form used for comparison: without spaces and other separators that people type. */
export function bareCode(code: string): string {
  return code.replaceAll(/[\s-]/g, "").toLowerCase();
}

/** Letters and digits that are hard to confuse: 32 of them, so 5 bits each. */
const letters = "abcdefghjkmnpqrstuvwxyz023456789";

/** Returns 50 random bits in two groups. */
export function newRecoveryCode(): string {
  const code = Array.from(randomBytes(10), (byte) => letters.charAt(byte % 32)).join("");
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}

/** The keyed hash by which a recovery code is looked up. */
export function recoveryLookup(secrets: Secrets, userId: number, code: string): string {
  return secrets.lookup("recovery-code", `${userId}:${bareCode(code)}`);
}

/** Binds a sealed secret to its user. */
export function totpContext(userId: number): string {
  return `totp_secrets|${userId}`;
}
