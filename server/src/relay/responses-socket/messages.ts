/**
 * The messages that clients send over a WebSocket for responses, as OpenAI documents its "WebSocket
 * mode" (read 2026-11-29) and Codex sends them. `response.create` has the fields of a call, and
 * beside them `stream_id` (the lane: responses of one lane come one after the other),
 * `previous_response_id` (a response of this socket) and `generate`, which is false if the
 * conversation is only to be kept for later.
 */

import { readBoolean, readString, type Span } from "#base/json-scan.ts";
import type { CallRefusal } from "#relay/call/call-refusal.ts";
import { bodyRefused } from "#relay/call/refusals.ts";
import { find, joined, type RawField, rawFieldsOf, written } from "./raw-fields.ts";

/** The longest name of a lane, in characters. */
const laneLengthMax = 128;

/** A request for a response. Its parts are JSON as the client has sent it. */
export type Create = {
  /** The lane of the response; empty: the client names none. */
  readonly lane: string;
  /** The response that it continues; empty: none. */
  readonly previousId: string;
  /** Whether the model is to answer. */
  readonly generates: boolean;
  /** The model that it names; empty: none. */
  readonly model: string;
  /** The fields of the call besides its input, as one object. */
  readonly fields: Uint8Array;
  /** The input; null: there is none. */
  readonly input: Uint8Array | null;
};

type ClientMessage =
  | { readonly kind: "create"; readonly create: Create }
  /** Input for a response that runs, which no upstream takes: two JSON values. */
  | { readonly kind: "steer"; readonly previousId: string; readonly input: string }
  /** A report that needs no answer. */
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly refusal: CallRefusal; readonly lane: string };

/** Fields that a message has and a call has not, or that are put back later. */
const ofMessage: ReadonlySet<string> = new Set([
  "background",
  "generate",
  "input",
  "previous_response_id",
  "stream",
  "stream_id",
  "type",
]);

/** Reads a message of the client. */
export function readAsked(bytes: Uint8Array, isText: boolean): ClientMessage {
  const fields = isText ? rawFieldsOf(bytes) : undefined;
  if (fields === undefined) return refused("", "the message is not a JSON object in a text frame");
  const doubled = doubledIn(fields);
  if (doubled !== undefined) return refused(doubled, `${doubled} is there more than once`);
  const lane = textOf(bytes, find(fields, "stream_id"));
  if (lane.length > laneLengthMax) {
    return refused("stream_id", `stream_id has at most ${laneLengthMax} characters`);
  }
  switch (textOf(bytes, find(fields, "type"))) {
    case "response.create":
      return readCreate(bytes, fields, lane);
    case "response.steer": {
      const previousId = rawOf(bytes, find(fields, "previous_response_id"));
      return { kind: "steer", previousId, input: rawOf(bytes, find(fields, "input")) };
    }
    // Clients report so that they have read a response.
    case "response.processed":
      return { kind: "none" };
    default:
      return refused("type", "type must be response.create", lane);
  }
}

/** A field of the message that is there twice: parsers differ in which one they use. */
function doubledIn(fields: readonly RawField[]): string | undefined {
  const seen = new Set<string>();
  for (const { key } of fields) {
    if (ofMessage.has(key) && seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}

function readCreate(bytes: Uint8Array, fields: readonly RawField[], lane: string): ClientMessage {
  const background = find(fields, "background");
  if (background !== undefined && readBoolean(bytes, background) === true) {
    return refused("background", "background is not available over a WebSocket", lane);
  }
  const previous = find(fields, "previous_response_id");
  if (previous !== undefined && previous.kind !== "null" && previous.kind !== "string") {
    return refused("previous_response_id", "previous_response_id must be a text", lane);
  }
  const generate = find(fields, "generate");
  const input = find(fields, "input");
  const create = {
    lane,
    previousId: textOf(bytes, previous),
    generates: generate === undefined || readBoolean(bytes, generate) !== false,
    model: textOf(bytes, find(fields, "model")),
    fields: written(
      bytes,
      fields.filter(({ key }) => !ofMessage.has(key)),
    ),
    input: input === undefined ? null : joined([bytes.subarray(input.start, input.end)]),
  };
  return { kind: "create", create };
}

/** Empty: there is no such text. */
function textOf(bytes: Uint8Array, span: Span | undefined): string {
  return span === undefined ? "" : (readString(bytes, span) ?? "");
}

function rawOf(bytes: Uint8Array, span: Span | undefined): string {
  return span === undefined ? "null" : Buffer.from(bytes.subarray(span.start, span.end)).toString();
}

function refused(param: string, message: string, lane = ""): ClientMessage {
  const code = param === "background" ? "unsupported_parameter" : "invalid_request";
  return { kind: "refused", lane, refusal: bodyRefused(code, param, message) };
}
