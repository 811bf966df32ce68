/** The messages that clients get over a WebSocket for responses. */

import { isUtf8 } from "node:buffer";
import { type JsonObject, parseForeign } from "#base/json.ts";
import { readString, scanObject, type Span } from "#base/json-scan.ts";
import type { ClientResponse, ResponseHead } from "#http/client-request.ts";
import { find, joined, rawFieldsOf } from "./raw-fields.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The events with which a response ends. */
const ends: ReadonlySet<string> = new Set([
  "error",
  "response.completed",
  "response.failed",
  "response.incomplete",
]);

/** A failure that an event does not tell the status of is the upstream's. */
const statusUnknown = 502;

type SocketEvent = {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Whether the response ends with it. */
  readonly isEnd: boolean;
};

/** Reads an event of a stream. Undefined: it is none, such as `[DONE]`. */
export function readEvent(data: Uint8Array): SocketEvent | undefined {
  const found = scanObject(data, ["type"], { stopWhenFound: true }).values.get("type");
  const type = found === undefined ? undefined : readString(data, found);
  if (type === undefined) return undefined;
  // A text frame that is not UTF-8 would end the connection.
  const bytes = isUtf8(data) ? data : encoder.encode(decoder.decode(data));
  return { type, bytes, isEnd: ends.has(type) };
}

/** What each response is told with: the header fields of a call, in its first event or its error. */
type Told = {
  /** The lane; empty: the client has named none. */
  readonly lane: string;
  readonly head: Pick<ResponseHead, "headers" | "requestId">;
};

function headersOf({ headers, requestId }: Told["head"]): JsonObject {
  const more = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : value.join(", "),
  ]);
  const own = requestId === undefined ? {} : { "x-request-id": requestId };
  return { ...own, ...Object.fromEntries(more) };
}

/** Returns what goes in front of an event's own fields. */
function leadOf({ lane, head }: Told, isFirst: boolean): string {
  const headers = isFirst ? `"headers":${JSON.stringify(headersOf(head))},` : "";
  return lane === "" ? headers : `${headers}"stream_id":${JSON.stringify(lane)},`;
}

const openBrace = 0x7b;

/** Makes the message of an event. `isFirst`: it is the first of its response. */
export function eventMessage(event: SocketEvent, told: Told, isFirst: boolean): Uint8Array {
  if (event.type === "error") return errorMessage(event.bytes, told);
  const lead = encoder.encode(leadOf(told, isFirst));
  if (lead.length === 0) return event.bytes;
  const at = event.bytes.indexOf(openBrace) + 1;
  const message = new Uint8Array(event.bytes.length + lead.length);
  message.set(event.bytes.subarray(0, at));
  message.set(lead, at);
  message.set(event.bytes.subarray(at), at + lead.length);
  return message;
}

/** Writes the error of a stream as that of a WebSocket, whose error is an object with a status. */
function errorMessage(bytes: Uint8Array, told: Told): Uint8Array {
  const event = parseObject(bytes);
  const { code = null, error, message = "", param = null, status } = event;
  const known = typeof status === "number" ? status : statusUnknown;
  const object = isObject(error) ? error : { type: "upstream_error", code, message, param };
  return failedMessage(known, object, told);
}

/** Makes the message for a call that was answered with an error before it streamed anything. */
export function refusalMessage({ body, ...head }: ClientResponse, lane: string): Uint8Array {
  const bytes = typeof body === "string" ? encoder.encode(body) : (body ?? new Uint8Array());
  const { error } = parseObject(bytes);
  return failedMessage(head.status, isObject(error) ? error : { message: "" }, { lane, head });
}

/** The field by which a response names the one before it. */
const previous = "previous_response_id";

function failedMessage(status: number, error: JsonObject, told: Told): Uint8Array {
  // By this code clients know that they have to send the whole conversation.
  const isLost = status === 400 && error["param"] === previous;
  const named = isLost ? { ...error, code: "previous_response_not_found" } : error;
  const lane = told.lane === "" ? {} : { stream_id: told.lane };
  const headers = headersOf(told.head);
  return encoder.encode(JSON.stringify({ type: "error", status, error: named, headers, ...lane }));
}

/** What a complete response leaves for those that continue it. */
export type Said = {
  readonly id: string;
  /** The event, and where the output stands in it; null: there is none. */
  readonly event: Uint8Array;
  readonly output: Span | null;
};

/** Reads the event that ends a complete response. Undefined: it has no id. */
export function readSaid({ type, bytes }: SocketEvent): Said | undefined {
  if (type !== "response.completed" && type !== "response.incomplete") return undefined;
  const found = find(rawFieldsOf(bytes) ?? [], "response");
  if (found?.kind !== "object") return undefined;
  const fields = rawFieldsOf(bytes, found) ?? [];
  const named = find(fields, "id");
  const id = named === undefined ? undefined : readString(bytes, named);
  if (id === undefined || id === "") return undefined;
  // The memory of events is used again.
  return { id, event: joined([bytes]), output: find(fields, "output") ?? null };
}

/** Makes the events of a response that no model was asked for. */
export function unaskedMessages(id: string, model: string, told: Told): readonly Uint8Array[] {
  const createdAt = Math.floor(Date.now() / 1_000);
  const response = { id, object: "response", created_at: createdAt, model, output: [] };
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const none = { error: null, incomplete_details: null };
  const events = [
    {
      type: "response.created",
      sequence_number: 0,
      response: { ...response, ...none, status: "in_progress", usage: null },
    },
    {
      type: "response.completed",
      sequence_number: 1,
      response: {
        ...response,
        ...none,
        status: "completed",
        usage: {
          ...usage,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens_details: { reasoning_tokens: 0 },
        },
      },
    },
  ];
  return events.map(({ type, ...fields }, index) => {
    const bytes = encoder.encode(JSON.stringify({ type, ...fields }));
    return eventMessage({ type, bytes, isEnd: index > 0 }, told, index === 0);
  });
}

/** Says that input for a running response is not taken, and gives it back. Both are JSON. */
export function steerRefused(previousId: string, input: string): Uint8Array {
  const error = {
    type: "invalid_request_error",
    code: "steering_not_supported",
    message: "this gateway takes no input for a response that runs: send it with the next one",
  };
  const steer = `{"previous_response_id":${previousId},"input":${input}}`;
  const start = '{"type":"response.steer.failed","sequence_number":0';
  return encoder.encode(`${start},"steer":${steer},"error":${JSON.stringify(error)}}`);
}

/** The longest error that is read, in bytes; of a longer one only the status is told. */
const errorBytesMax = 64 * 1024;

function parseObject(bytes: Uint8Array): JsonObject {
  if (bytes.length > errorBytesMax) return {};
  try {
    const value = parseForeign(decoder.decode(bytes));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
