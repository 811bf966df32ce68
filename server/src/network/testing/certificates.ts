/** Certificates for tests of TLS, made on demand. No other program trusts them. */

import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";

export type Certificate = { readonly key: string; readonly cert: string };

type Authority = {
  /** The authority's own certificate, PEM. */
  readonly ca: string;
  /** Makes a certificate for a name; `daysLeft` below 0: one that has expired. */
  issue(name: string, daysLeft?: number): Certificate;
};

const dayMs = 86_400_000;

export function makeAuthority(): Authority {
  const { privateKey, publicKey } = newKeys();
  const name = "Test authority";
  const signer = { name, key: privateKey };
  const ca = pem("CERTIFICATE", certificate({ signer, subject: name, publicKey, daysLeft: 30 }));
  return {
    ca,
    issue(subject, daysLeft = 30) {
      const own = newKeys();
      const der = certificate({ signer, subject, publicKey: own.publicKey, daysLeft });
      const key = own.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      return { key, cert: pem("CERTIFICATE", der) };
    },
  };
}

function newKeys() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

type Wanted = {
  readonly signer: { readonly name: string; readonly key: KeyObject };
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly daysLeft: number;
};

/** Makes a certificate in DER: as in RFC 5280, reduced to the fields that verifiers require. */
function certificate({ signer, subject, publicKey, daysLeft }: Wanted): Buffer {
  const algorithm = sequence(objectId("2a8648ce3d040302")); // ecdsa-with-SHA256
  const until = Date.now() + daysLeft * dayMs;
  const body = sequence(
    tagged(0xa0, integer(2)), // version 3
    integer(Math.floor(Math.random() * 2 ** 30) + 1),
    algorithm,
    commonName(signer.name),
    sequence(utcTime(until - 60 * dayMs), utcTime(until)),
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions(subject, subject === signer.name))),
  );
  const signature = createSign("sha256").update(body).sign(signer.key);
  return sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.of(0), signature])));
}

function extensions(name: string, isAuthority: boolean): Buffer[] {
  const names = sequence(tagged(0x82, Buffer.from(name, "latin1")));
  const constraints = isAuthority ? sequence(tagged(0x01, Buffer.of(0xff))) : sequence();
  return [
    sequence(objectId("551d13"), tagged(0x04, constraints)),
    sequence(objectId("551d11"), tagged(0x04, names)),
  ];
}

function commonName(name: string): Buffer {
  const text = tagged(0x0c, Buffer.from(name));
  return sequence(tagged(0x31, sequence(objectId("550403"), text)));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/g, "").slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  const isHigh = (bytes[0] ?? 0) >= 0x80;
  return tagged(0x02, isHigh ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

/** Makes a DER element of tag, length and content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
