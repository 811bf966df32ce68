import { skipBlanks } from "#base/json-cursor.ts";
import { scanObject, type Span } from "#base/json-scan.ts";
import type { RequestBody } from "./read-request.ts";

export type BodyChanges = {
  /** The upstream's name of the model. */
  readonly model?: string;
  /** Ask for the usage event of a stream. */
  readonly includeUsage?: true;
  /** Lower the limit on output tokens to this, or set it where there is none. */
  readonly maxTokens?: number;
  /** The key of a limit that is set where there is none. Default: the one every server knows. */
  readonly maxTokensKey?: "max_tokens" | "max_completion_tokens";
};

/** Replaces the bytes [start, end); with `start` = `end`, puts text between two bytes. */
type Splice = { readonly start: number; readonly end: number; readonly text: string };

/**
 * The body with these changes and every other byte as it was: key order, spelling of numbers and
 * unknown fields survive, and with them the upstream's prompt cache.
 */
export function rewriteBody(
  bytes: Uint8Array,
  body: RequestBody,
  changes: BodyChanges,
): Uint8Array {
  const splices: Splice[] = [];
  const added: string[] = [];
  const set = (key: string, text: string) => {
    const span = body.spans.get(key);
    if (span === undefined) added.push(`${JSON.stringify(key)}:${text}`);
    else splices.push({ start: span.start, end: span.end, text });
  };
  const { model = body.model } = changes;
  if (model !== body.model || body.spans.get("model")?.kind !== "string") {
    set("model", JSON.stringify(model)); // also when only the path named it
  }
  if (changes.includeUsage === true && !body.includeUsage) {
    const options = body.spans.get("stream_options");
    if (options?.kind === "object") splices.push(askForUsage(bytes, options));
    else set("stream_options", '{"include_usage":true}');
  }
  if (changes.maxTokens !== undefined) {
    const { maxTokens, maxTokensKey = "max_tokens" } = changes;
    const limits = ["max_tokens", "max_completion_tokens"].filter((key) => isNumber(body, key));
    for (const key of limits) {
      if (isAbove(bytes, body.spans.get(key), maxTokens)) set(key, String(maxTokens));
    }
    if (limits.length === 0) set(maxTokensKey, String(maxTokens));
  }
  if (added.length > 0) {
    // What the model reads is always there, so a member follows and the comma is due.
    const start = bytes.indexOf(0x7b) + 1;
    splices.push({ start, end: start, text: `${added.join(",")},` });
  }
  return applySplices(bytes, splices);
}

function isNumber(body: RequestBody, key: string): boolean {
  return body.spans.get(key)?.kind === "number";
}

/** Above the limit, or 0, which stands for no limit at all. */
function isAbove(bytes: Uint8Array, span: Span | undefined, limit: number): boolean {
  if (span === undefined) return false;
  const value = Number(Buffer.from(bytes.subarray(span.start, span.end)).toString("latin1"));
  return value > limit || value === 0;
}

/** Sets `include_usage` in the options object that is there. */
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
