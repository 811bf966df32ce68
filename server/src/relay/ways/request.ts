/**
 * Writes a request in the client's own format, as the channel requires it: the upstream model, the
 * request for usage in streams, instructions, overridden parameters. All other bytes stay.
 */

import { type JsonObject, parseExact } from "#base/json.ts";
import type { RequestReader } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { isInstructed, withInstructions } from "./instructions.ts";
import type { Received, WayFacts } from "./way.ts";

/** Makes the body of the request for an upstream that speaks the client's format. */
export function rewriteRequest(
  facts: WayFacts,
  received: Received,
  requests: RequestReader,
): Uint8Array {
  return applyOverride(facts.channel, writePlain(facts, received), requests);
}

/** Makes the same without the parameters that the channel overrides. */
export function writePlain(facts: WayFacts, { body, bytes }: Received): Uint8Array {
  const { client } = formats[facts.formatId];
  const rewritten = client.rewriteRequest(bytes, body, facts);
  return isInstructed(facts, body) ? write(withInstructions(facts, read(rewritten))) : rewritten;
}

/** Reads bytes of which `readRequest` has checked that they are one JSON object. */
function read(bytes: Uint8Array): JsonObject {
  return parseExact(new TextDecoder().decode(bytes)) as JsonObject;
}

function write(body: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}

/**
 * Applies the channel's parameter override, if it has one, to a request that `requests` reads.
 * Nothing else changes the body beyond single values: here it is parsed and serialised again.
 */
export function applyOverride(
  channel: ChannelView,
  bytes: Uint8Array,
  requests: RequestReader,
): Uint8Array {
  return channel.paramOverride === null
    ? bytes
    : write(withOverride(channel, read(bytes), requests));
}

/** Field names that would change the object's prototype instead of setting a field. */
const unsafeNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** The same for a request that is not written out yet. */
export function withOverride(
  { paramOverride }: ChannelView,
  body: JsonObject,
  { fields }: RequestReader,
): object {
  if (paramOverride === null) return body;
  const changed: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(paramOverride)) {
    if (!unsafeNames.has(name) && !fields.keptByOverride.includes(name)) changed[name] = value;
  }
  return changed;
}
