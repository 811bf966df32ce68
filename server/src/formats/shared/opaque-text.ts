import type { Issuer, Opaque } from "#canonical/request.ts";

/**
 * Carries signatures and encrypted reasoning through clients of another format: the client keeps
 * the text in its own field for such values, and sends it back unread. The prefix names the issuer,
 * so that the value goes back to nobody else. All characters are of the base64 alphabet and the
 * prefix has a multiple of four, because some clients decode the field.
 */
const prefixes: Readonly<Record<Issuer, Readonly<Record<Opaque["kind"], string>>>> = {
  anthropic: prefixesOf("Ant"),
  bedrock: prefixesOf("Bed"),
  google: prefixesOf("Goo"),
  openai: prefixesOf("Opa"),
  other: prefixesOf("Oth"),
};

function prefixesOf(issuer: string): Readonly<Record<Opaque["kind"], string>> {
  const prefix = (kind: string): string => `Tollgate${issuer}${kind}v1`;
  return { signature: prefix("Sig"), encrypted: prefix("Enc"), item: prefix("Itm") };
}

/**
 * Stands in the ids of copies that the gateway writes of what a provider's tool did, so that a
 * request that brings them back is read, and not passed on to somebody who did not issue them.
 */
export const copyMark = prefixes.other.item;

/** Matches a wrapped value: its prefix, then the id in hexadecimal with its length, then the value. */
const wrapped = /^(Tollgate[A-Z][a-z]{2}(?:Sig|Enc|Itm)v1)([0-9a-f]{4})([0-9a-f]*)$/;

/**
 * Returns the value for a client of another format. The id is kept in front of the value, padded to
 * a multiple of four characters.
 */
export function wrapOpaque({ issuer, kind, value, id }: Opaque): string {
  const hex = Buffer.from(id).toString("hex");
  const padded = hex.padEnd(Math.ceil(hex.length / 4) * 4, "0");
  return `${prefixes[issuer][kind]}${hex.length.toString(16).padStart(4, "0")}${padded}${value}`;
}

/** The longest id of an item that is read back, in hexadecimal digits. */
const idLengthMax = 512;

/**
 * Reads what a client sent back.
 *
 * @param native the issuer of values without a prefix, which belong to the client's own format.
 */
export function unwrapOpaque(text: string, native: Pick<Opaque, "issuer" | "kind">): Opaque {
  const head = wrapped.exec(text.slice(0, prefixLength + 4));
  const found = head === null ? undefined : findPrefix(head[1] ?? "");
  if (head === null || found === undefined) return { ...native, value: text, id: "" };
  const length = Math.min(Number.parseInt(head[2] ?? "0", 16), idLengthMax);
  const at = prefixLength + 4;
  const id = Buffer.from(text.slice(at, at + length), "hex").toString();
  return { ...found, id, value: text.slice(at + Math.ceil(length / 4) * 4) };
}

const prefixLength = 16;

/** What all prefixes begin with, which is also a word that people write. */
const mark = Buffer.from("Tollgate");

/** Whether a request contains a value that another provider issued, in whatever field. */
export function hasWrapped(bytes: Uint8Array): boolean {
  let at = find(bytes, 0);
  while (at >= 0) {
    const prefix = Buffer.from(bytes.subarray(at, at + prefixLength)).toString("latin1");
    if (findPrefix(prefix) !== undefined) return true;
    at = find(bytes, at + 1);
  }
  return false;
}

/** Finds the mark, without making a buffer for each call. */
function find(bytes: Uint8Array, from: number): number {
  return Buffer.prototype.indexOf.call(bytes, mark, from);
}

function findPrefix(prefix: string): Pick<Opaque, "issuer" | "kind"> | undefined {
  for (const issuer of ["anthropic", "bedrock", "google", "openai", "other"] as const) {
    for (const kind of ["signature", "encrypted", "item"] as const) {
      if (prefixes[issuer][kind] === prefix) return { issuer, kind };
    }
  }
  return undefined;
}
