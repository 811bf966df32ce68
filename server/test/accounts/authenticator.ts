/** A passkey in software. It answers like a browser with an authenticator, as WebAuthn defines. */

import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

export type Authenticator = {
  readonly id: string;
  /** How often the passkey was used. A test of copied passkeys sets it back. */
  counter: number;
  /** Answers this challenge as `navigator.credentials.create` does in a browser. */
  create(challenge: string, at?: Partial<Place>): object;
  /** Answers this challenge as `navigator.credentials.get` does in a browser. */
  get(challenge: string, at?: Partial<Place>): object;
};

type Place = {
  readonly origin: string;
  readonly rpId: string;
  /** Whether the authenticator has asked the person for a PIN or a fingerprint. */
  readonly verified: boolean;
};

const here: Place = { origin: "https://gateway.test", rpId: "gateway.test", verified: true };

const userPresent = 0x01;
const userVerified = 0x04;
const attested = 0x40;

export function newAuthenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(32);
  const made: Authenticator = {
    id: id.toString("base64url"),
    counter: 0,

    create(challenge, at) {
      const place = { ...here, ...at };
      const length = Buffer.from([0, id.length]);
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(x, y)]);
      const authData = Buffer.concat([head(place, attested, made.counter), credential]);
      // The attestation object is a CBOR map with three entries. It has no statement, because the
      // server asks for no attestation.
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        text("fmt"),
        text("none"),
        text("attStmt"),
        Buffer.from([0xa0]),
        text("authData"),
        bytes(authData),
      ]);
      return envelope(made.id, {
        clientDataJSON: clientData("webauthn.create", challenge, place).toString("base64url"),
        attestationObject: attestation.toString("base64url"),
        transports: ["internal"],
      });
    },

    get(challenge, at) {
      const place = { ...here, ...at };
      made.counter += 1;
      const authenticatorData = head(place, 0, made.counter);
      const data = clientData("webauthn.get", challenge, place);
      const signed = Buffer.concat([authenticatorData, hash(data)]);
      return envelope(made.id, {
        clientDataJSON: data.toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        signature: sign("sha256", signed, privateKey).toString("base64url"),
      });
    },
  };
  return made;
}

function envelope(id: string, response: object): object {
  return { id, rawId: id, type: "public-key", response, clientExtensionResults: {} };
}

function clientData(type: string, challenge: string, { origin }: Place): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/**
 * Builds authenticator data up to and including the signature counter. Source: WebAuthn Level 3
 * §6.1.
 */
function head({ rpId, verified }: Place, flags: number, counter: number): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const all = flags | userPresent | (verified ? userVerified : 0);
  return Buffer.concat([hash(Buffer.from(rpId)), Buffer.from([all]), count]);
}

function hash(data: Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}

/** Encodes an ES256 key: `{1: 2, 3: -7, -1: 1, -2: x, -3: y}`. Source: RFC 9053 §7.1.1. */
function coseKey(x: string, y: string): Buffer {
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes(Buffer.from(x, "base64url")),
    Buffer.from([0x22]),
    bytes(Buffer.from(y, "base64url")),
  ]);
}

/** Encodes a CBOR text shorter than 24 bytes. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
}

/** Encodes a CBOR byte string shorter than 256 bytes. */
function bytes(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x58, value.length]), value]);
}
