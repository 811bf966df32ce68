/**
 * The messages that clients send over a WebSocket for responses, as OpenAI documents its "WebSocket
 * mode" (read 2026-11-29) and Codex sends them. `response.create` has the fields of a call, and
 * beside them `stream_id` (the lane: responses of one lane come one after the other),
 * `previous_response_id` (a response of this socket) and `generate`, which is false if the
 * conversation is only to be kept for later.
 */

import { type Json, type JsonObject, parseExact } from "#base/json.ts";
import type { CallRefusal } from "#relay/answers/call-refusal.ts";
import { bodyRefused } from "#relay/answers/refusals.ts";

/** The longest name of a lane, in characters. */
const laneLengthMax = 128;

/** A request for a response. */
export type Create = {
  /** The lane of the response; empty: the client names none. */
  readonly lane: string;
  /** The response that it continues; empty: none. */
  readonly previousId: string;
  /** Whether the model is to answer. */
  readonly generates: boolean;
  /** The fields of the call. */
  readonly body: JsonObject;
};

type Asked =
  | { readonly kind: "create"; readonly create: Create }
  /** Input for a response that runs, which no upstream takes. */
  | { readonly kind: "steer"; readonly previousId: Json; readonly input: Json }
  /** A report that needs no answer. */
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly refusal: CallRefusal; readonly lane: string };

const decoder = new TextDecoder();

/** Reads a message of the client. */
export function readAsked(bytes: Uint8Array, isText: boolean): Asked {
  const message = isText ? parse(bytes) : undefined;
  if (message === undefined) return refused("", "the message is not a JSON object in a text frame");
  const { type, stream_id: named } = message;
  const lane = typeof named === "string" ? named : "";
  if (lane.length > laneLengthMax) {
    return refused("stream_id", `stream_id has at most ${laneLengthMax} characters`);
  }
  switch (type) {
    case "response.create":
      return readCreate(message, lane);
    case "response.steer": {
      const { input = null, previous_response_id: previousId = null } = message;
      return { kind: "steer", input, previousId };
    }
    // Clients report so that they have read a response.
    case "response.processed":
      return { kind: "none" };
    default:
      return refused("type", "type must be response.create", lane);
  }
}

/** Undefined: it is not a JSON object. */
function parse(bytes: Uint8Array): JsonObject | undefined {
  try {
    const message = parseExact(decoder.decode(bytes));
    if (message === null || typeof message !== "object" || Array.isArray(message)) return undefined;
    // Safe cast: it is neither a list nor a plain value.
    return message as JsonObject;
  } catch {
    return undefined;
  }
}

function readCreate(message: JsonObject, lane: string): Asked {
  const {
    type: _type,
    stream_id: _lane,
    generate,
    previous_response_id: previous,
    background,
    ...body
  } = message;
  if (background === true) {
    return refused("background", "background is not available over a WebSocket", lane);
  }
  const hasPrevious = previous !== undefined && previous !== null;
  if (hasPrevious && typeof previous !== "string") {
    return refused("previous_response_id", "previous_response_id must be a text", lane);
  }
  const create = {
    lane,
    previousId: previous ?? "",
    generates: generate !== false,
    body: { ...body, stream: true },
  };
  return { kind: "create", create };
}

function refused(param: string, message: string, lane = ""): Asked {
  const code = param === "background" ? "unsupported_parameter" : "invalid_request";
  return { kind: "refused", lane, refusal: bodyRefused(code, param, message) };
}
