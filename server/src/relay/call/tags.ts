/**
 * Gathers the tags of a call: those of its API key, then those of header fields, then those of the
 * body's `metadata`. A call without tags makes no object here.
 */

import { plainTag, tagHeader, tagOf, tagsMax } from "@tollgate/contract/logs/tags.ts";
import { scanObject } from "#base/json-scan.ts";
import { conversationSpans } from "#formats/shared/scan/conversation-spans.ts";
import type { Fields } from "#http/client-request.ts";
import type { Credential } from "./facts.ts";

const none: readonly string[] = [];
const field = "metadata";
const place = conversationSpans.names.indexOf(field);
const fieldKey = Buffer.from(`"${field}"`);
const openBrace = 0x7b;

/** The most bytes of `metadata` that are read: eight tags need far fewer. */
const metadataBytesMax = 16_384;

/**
 * Returns the tags of a call, each once.
 *
 * @param given the tags of the API key.
 * @param bytes the body; where `metadata` stands in it is known if nothing was scanned since.
 */
export function tagsOf(
  given: readonly string[],
  headers: Fields,
  bytes: Uint8Array,
): readonly string[] {
  const named = headers.startingWith?.(tagHeader) ?? null;
  const metadata = metadataOf(bytes);
  if (named === null && metadata === null) return given;
  const tags = new Set(given);
  for (let at = 0; named !== null && at < named.length; at += 2) {
    const name = (named[at] ?? "").slice(tagHeader.length);
    tags.add(tagOf(name, textOf(named[at + 1] ?? "")));
  }
  for (const [name, value] of Object.entries(metadata ?? {})) {
    const isPlain = ["boolean", "number", "string"].includes(typeof value);
    if (isPlain) tags.add(tagOf(name, String(value)));
  }
  tags.delete("");
  const found = [...tags].slice(0, tagsMax);
  return found.length === 0 ? none : found;
}

const noBytes = new Uint8Array();

/** Returns the tags of each call of a session, or of a task, whose body has other fields. */
export function sessionTags({ token }: Credential, headers: Fields): readonly string[] {
  return tagsOf(token.tags, headers, noBytes);
}

/** Header fields come as one character a byte; clients send UTF-8 in them. */
function textOf(value: string): string {
  return /^[ -~]*$/.test(value) ? value : plainTag(Buffer.from(value, "latin1").toString("utf8"));
}

type Found = Readonly<Record<string, unknown>>;

/** Returns the object in `metadata`; null: there is none. */
function metadataOf(bytes: Uint8Array): Found | null {
  if (conversationSpans.bytes === bytes) {
    const start = conversationSpans.starts[place] ?? -1;
    return start < 0 ? null : objectAt(bytes, start, conversationSpans.ends[place] ?? start);
  }
  // Another request was read since, or the format looks for no conversation.
  if (Buffer.prototype.indexOf.call(bytes, fieldKey) < 0) return null;
  const span = scanObject(bytes, [field]).values.get(field);
  return span === undefined ? null : objectAt(bytes, span.start, span.end);
}

function objectAt(bytes: Uint8Array, start: number, end: number): Found | null {
  if (bytes[start] !== openBrace || end - start > metadataBytesMax) return null;
  // Safe cast: it begins as an object, and the scan has read it as JSON.
  return JSON.parse(new TextDecoder().decode(bytes.subarray(start, end))) as Found;
}
