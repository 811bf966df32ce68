/** Codes that a person types: authenticator app codes and recovery codes. */

import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import type { Secrets } from "#base/secrets.ts";

/** Parameters that every authenticator app uses by default. Source: RFC 6238 §5.2, §4. */
const totp = { algorithm: "SHA1", digits: 6, period: 30 } as const;

/**
 * The length of a TOTP secret in bytes: 160 bits, the length of the hash output. Source: RFC 4226
 * §4 R6.
 */
const secretBytes = 20;

/** The number of 30-second steps by which the user's clock may be ahead or behind. */
const window = 1;

export function newTotpSecret(): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer }).base32;
}

/** Makes the URI inside the QR code that an authenticator app scans. */
export function totpUri(secret: string, issuer: string, label: string): string {
  return new TOTP({ ...totp, issuer, label, secret: Secret.fromBase32(secret) }).toString();
}

/**
 * Returns the 30-second step to which a code belongs, counted from 1970. Undefined if the code is
 * not valid now.
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

/**
 * Whether a code has the form of an authenticator app's code: six digits, with or without a space.
 */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(bareCode(code));
}

/**
 * Brings a code to the form in which codes are compared: without spaces and other separators that
 * people type.
 */
export function bareCode(code: string): string {
  return code.replaceAll(/[\s-]/g, "").toLowerCase();
}

/**
 * The 32 letters and digits of recovery codes, which are hard to confuse; each stands for 5 random
 * bits.
 */
const letters = "abcdefghjkmnpqrstuvwxyz023456789";

/** Returns a new recovery code: 50 random bits in two groups of letters. */
export function newRecoveryCode(): string {
  const code = Array.from(randomBytes(10), (byte) => letters.charAt(byte % 32)).join("");
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}

/** Computes the keyed hash by which a user's recovery code is stored and found. */
export function recoveryLookup(
  secrets: Pick<Secrets, "lookup">,
  userId: number,
  code: string,
): string {
  return secrets.lookup("recovery-code", `${userId}:${bareCode(code)}`);
}

/**
 * Returns the sealing context of a user's TOTP secret, so that it cannot be opened in another
 * user's row.
 */
export function totpContext(userId: number): string {
  return `totp_secrets|${userId}`;
}
