/**
 * Encryption and keyed hashes, all derived from the installation's one secret key. Without that key
 * nothing stored can be decrypted, looked up or forged. Besides, texts by chance, and tokens that
 * are signed with secrets of others.
 */

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** The secret key is missing, too weak, or not the one that encrypted the data. */
export class SecretError extends Error {
  override readonly name = "SecretError";
}

export type Secrets = {
  /**
   * Returns a keyed hash of `text` in hex, by which a stored secret is found. `kind` separates
   * purposes: a text stored for one is never found by another.
   */
  lookup(kind: string, text: string): string;
  /** Encrypts with AES-256-GCM, in base64. Only the same `context` opens it, so rows cannot be swapped. */
  seal(context: string, text: string): string;
  /**
   * Decrypts a sealed text.
   *
   * @throws SecretError when it was sealed for another context or by another key, or was changed.
   */
  open(context: string, sealed: string): string;
  /** Derives a key of 32 bytes for another purpose from the secret key. */
  derive(label: string): Uint8Array;
  /** Identifies the secret key without revealing it. Hex. */
  readonly fingerprint: string;
};

/** The shortest secret key, in characters: 32 hex characters have 128 bits. */
const secretKeyMin = 32;

const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/** First byte of a sealed text: the version of its encryption. */
const sealVersion = 1;

/**
 * Derives all keys from the installation's secret key.
 *
 * @throws SecretError when the key is too short or easy to guess.
 */
export function openSecrets(masterKey: string): Secrets {
  refuseWeak(masterKey);
  const derive = (label: string): Uint8Array =>
    new Uint8Array(hkdfSync("sha256", masterKey, "tollgate", label, keyBytes));
  const sealKey = derive("seal");
  const lookupKeys = new Map<string, Uint8Array>();
  const lookupKey = (kind: string): Uint8Array => {
    const known = lookupKeys.get(kind) ?? derive(`lookup|${kind}`);
    lookupKeys.set(kind, known);
    return known;
  };
  return {
    derive,
    fingerprint: Buffer.from(derive("fingerprint")).toString("hex"),
    lookup: (kind, text) => createHmac("sha256", lookupKey(kind)).update(text).digest("hex"),
    seal: (context, text) => seal(sealKey, context, text),
    open: (context, sealed) => open(sealKey, context, sealed),
  };
}

function refuseWeak(masterKey: string): void {
  if (masterKey.length < secretKeyMin) {
    throw new SecretError(`the secret key needs at least ${secretKeyMin} characters`);
  }
  if (
    new Set(masterKey).size < 8 ||
    /change.?me|example|your.?secret|random.string/i.test(masterKey)
  ) {
    throw new SecretError(
      "the secret key is a sample or a pattern; make one: openssl rand -hex 32",
    );
  }
}

function seal(key: Uint8Array, context: string, text: string): string {
  return Buffer.from(sealBytes(key, context, Buffer.from(text))).toString("base64");
}

function open(key: Uint8Array, context: string, sealed: string): string {
  return openBytes(key, context, Buffer.from(sealed, "base64")).toString("utf8");
}

/** Encrypts bytes as `seal` encrypts texts, with a key of 32 bytes from `derive`. */
function sealBytes(key: Uint8Array, context: string, bytes: Uint8Array): Uint8Array {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  cipher.setAAD(Buffer.from(context));
  const hidden = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([Buffer.of(sealVersion), iv, hidden, cipher.getAuthTag()]);
}

/**
 * Decrypts what `sealBytes` made.
 *
 * @throws SecretError as `open` does.
 */
function openBytes(key: Uint8Array, context: string, bytes: Uint8Array): Buffer {
  if (bytes[0] !== sealVersion || bytes.length < 1 + ivBytes + tagBytes) {
    throw new SecretError("not a sealed text");
  }
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(1, 1 + ivBytes));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = decipher.update(bytes.subarray(1 + ivBytes, -tagBytes));
    return Buffer.concat([text, decipher.final()]);
  } catch {
    throw new SecretError(`sealed for another place or by another key: ${context}`);
  }
}

const noBytes = new Uint8Array();

/** Compresses a text and seals it, with a key of 32 bytes from `derive`. */
export function sealText(key: Uint8Array, context: string, text: string): Uint8Array {
  return text === "" ? noBytes : sealBytes(key, context, Bun.zstdCompressSync(Buffer.from(text)));
}

/**
 * Reads what `sealText` made.
 *
 * @throws SecretError when the text was sealed for another place or with another key.
 */
export function unsealText(key: Uint8Array, context: string, sealed: Uint8Array): string {
  if (sealed.length === 0) return "";
  return Bun.zstdDecompressSync(openBytes(key, context, sealed)).toString();
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Makes a text of letters and digits from the system's random generator, 5.95 bits each. */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte; larger bytes would make some letters occur
      // more often.
      if (byte < 248 && text.length < length) text += base62.charAt(byte % 62);
    }
  }
  return text;
}

/**
 * Returns the hex SHA-256 of a text. Use it only for texts that are not secret, or are long and
 * random, such as session ids.
 */
export function hashText(text: string): string {
  // `Bun.SHA256` takes a third of the time of `createHash`, and every charged call hashes twice.
  return Bun.SHA256.hash(text, "hex");
}

/** Compares two texts in constant time. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(
    createHash("sha256").update(a).digest(),
    createHash("sha256").update(b).digest(),
  );
}

/** Returns the text that the signature of a JSON Web Token (RFC 7519) is made of. */
export function unsignedToken(header: object, claims: object): string {
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode(header)}.${encode(claims)}`;
}

/** Makes a JSON Web Token signed with HS256. `header` is added to the algorithm's name. */
export function signToken(header: object, claims: object, secret: string): string {
  const text = unsignedToken({ alg: "HS256", ...header }, claims);
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}
