/** Locks secrets of an export with a passphrase, so that only who knows it can read them. */

import { createCipheriv, randomBytes, scryptSync } from "node:crypto";

const keyBytes = 32;
const saltBytes = 16;
const ivBytes = 12;

/** The costs of scrypt: 32 MiB of memory for each guess. */
const cost = { N: 32_768, r: 8, p: 1 } as const;
const memoryMax = 64 * 1_024 * 1_024;

export type Lock = {
  /** What a reader needs besides the passphrase. */
  readonly header: object;
  /** Encrypts a secret; `place` says whose it is, so that none can be moved to another row. */
  readonly seal: (place: string, secret: string) => string;
};

export function openLock(passphrase: string): Lock {
  const salt = randomBytes(saltBytes);
  const key = scryptSync(passphrase, salt, keyBytes, { ...cost, maxmem: memoryMax });
  return {
    header: { cipher: "aes-256-gcm", kdf: "scrypt", ...cost, salt: salt.toString("base64") },
    seal(place, secret) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      cipher.setAAD(Buffer.from(place));
      const hidden = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([iv, hidden, cipher.getAuthTag()]).toString("base64");
    },
  };
}
