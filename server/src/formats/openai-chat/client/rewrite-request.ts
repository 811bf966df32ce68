import { skipBlanks } from "#base/json-cursor.ts";
import { scanObject, type Span } from "#base/json-scan.ts";
import type { BodyChanges, RequestBody } from "#formats/format.ts";

/**
 * A change of the bytes [start, end) into `text`. If both positions are equal, the text is
 * inserted.
 */
type Splice = { readonly start: number; readonly end: number; readonly text: string };

/**
 * Applies the changes and leaves every other byte as it was. So key order, number spelling and
 * unknown fields stay the same, and the upstream can still find the prompt in its cache.
 */
export function rewriteRequest(
  bytes: Uint8Array,
  body: RequestBody,
  { model, asksForUsage: asks }: BodyChanges,
): Uint8Array {
  const isNamed = model === body.model && body.spans.get("model")?.kind === "string";
  // Most requests need no change.
  if (isNamed && (!asks || body.wantsUsage) && body.wantsCost === undefined) return bytes;
  const splices: Splice[] = [];
  const added: string[] = [];
  const set = (key: string, text: string) => {
    const span = body.spans.get(key);
    if (span === undefined) added.push(`${JSON.stringify(key)}:${text}`);
    else splices.push({ start: span.start, end: span.end, text });
  };
  if (!isNamed) {
    set("model", JSON.stringify(model)); // the body gets the model even if only the path named it
  }
  if (body.wantsCost !== undefined) {
    set("stream_options", withoutCost(bytes, body, asks || body.wantsUsage));
  } else if (asks && !body.wantsUsage) {
    const options = body.spans.get("stream_options");
    if (options?.kind === "object") splices.push(askForUsage(bytes, options));
    else set("stream_options", '{"include_usage":true}');
  }
  if (added.length > 0) {
    // Inserts behind the body's opening brace. At least the field with the model's input follows,
    // so the comma is right.
    const start = bytes.indexOf(0x7b) + 1;
    splices.push({ start, end: start, text: `${added.join(",")},` });
  }
  return applySplices(bytes, splices);
}

/** Returns the options without `include_cost`, which is a field of this gateway alone. */
function withoutCost(bytes: Uint8Array, { spans }: RequestBody, wantsUsage: boolean): string {
  const span = spans.get("stream_options");
  const text = Buffer.from(bytes.subarray(span?.start, span?.end)).toString();
  // Safe cast: `readRequest` accepts only an object.
  const options = JSON.parse(text) as Record<string, unknown>;
  delete options["include_cost"];
  return JSON.stringify(wantsUsage ? { ...options, include_usage: true } : options);
}

/** Sets `include_usage` in an existing options object. */
function askForUsage(bytes: Uint8Array, options: Span): Splice {
  const { values } = scanObject(bytes, ["include_usage"], options);
  const given = values.get("include_usage");
  if (given !== undefined) return { start: given.start, end: given.end, text: "true" };
  const start = options.start + 1;
  const isEmpty = skipBlanks(bytes, start, options.end) === options.end - 1;
  return { start, end: start, text: `"include_usage":true${isEmpty ? "" : ","}` };
}

function applySplices(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  if (splices.length === 0) return bytes;
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, text } of splices.toSorted((a, b) => a.start - b.start)) {
    pieces.push(bytes.subarray(from, start), Buffer.from(text));
    from = end;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}
