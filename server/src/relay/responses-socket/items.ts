/** The items of conversations over a WebSocket, as JSON separated by commas. */

import { skipBlanks } from "#base/json-cursor.ts";
import { readString, type Span } from "#base/json-scan.ts";
import { itemsAfter, type Kept } from "./conversations.ts";
import { elementsOf, find, joined, joinedBy, rawFieldsOf, written } from "./raw-fields.ts";
import type { Create } from "./messages.ts";

const openBracket = 0x5b;
const quote = 0x22;
const noItems = new Uint8Array();

/** Returns the items of an input, in which a text is one message. */
export function ownItems(input: Uint8Array | null): Uint8Array {
  if (input?.[0] === quote) {
    const start = '{"type":"message","role":"user","content":[{"type":"input_text","text":';
    return joined([start, input, "}]}"]);
  }
  if (input?.[0] !== openBracket) return noItems;
  const end = input.length - 1;
  const first = skipBlanks(input, 1, end);
  // Blanks behind the last item are as good as none.
  return first === end ? noItems : joined([input.subarray(first, end)]);
}

/** Returns these items, and those that a response has added. */
export function itemsWith(own: Uint8Array, event: Uint8Array, output: Span | null): Uint8Array {
  const said = output === null ? [] : (elementsOf(event, output) ?? []);
  return joinedBy(",", [own, ...said.map((item) => saidItem(event, item))]);
}

/** Items whose ids are not needed: the client has the whole item. */
const withOptionalIds: ReadonlySet<string> = new Set([
  "custom_tool_call",
  "function_call",
  "message",
]);

/** Returns an item as it can be sent back; empty: it cannot. */
function saidItem(event: Uint8Array, item: Span): Uint8Array {
  const bytes = event.subarray(item.start, item.end);
  const fields = rawFieldsOf(bytes);
  if (fields === undefined) return bytes;
  const named = find(fields, "type");
  const type = named === undefined ? "" : (readString(bytes, named) ?? "");
  // Of reasoning that is not in it, the id alone says nothing to another upstream.
  if (type === "reasoning" && find(fields, "encrypted_content")?.kind !== "string") return noItems;
  if (!withOptionalIds.has(type)) return bytes;
  // By its id an upstream would look for what it keeps of the item.
  return written(
    bytes,
    fields.filter(({ key }) => key !== "id"),
  );
}

const openBrace = 0x7b;

/**
 * Makes the body of a call, with the conversation that it continues.
 *
 * @param before the response that it continues; null: none, or none that the WebSocket has seen.
 */
export function bodyAfter(
  { fields, input, previousId }: Create,
  before: Kept | null,
  items: Uint8Array,
): Buffer {
  const own = fields.subarray(fields.indexOf(openBrace) + 1);
  const isEmpty = own.length === 1;
  const parts: (string | Uint8Array)[] = ['{"stream":true'];
  if (before !== null) parts.push(',"input":[', itemsAfter(before, items), "]");
  else {
    if (input !== null) parts.push(',"input":', input);
    if (previousId !== "") parts.push(`,"previous_response_id":${JSON.stringify(previousId)}`);
  }
  parts.push(isEmpty ? "}" : ",");
  if (!isEmpty) parts.push(own);
  return Buffer.from(joined(parts).buffer);
}
