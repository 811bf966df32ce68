/**
 * Makes the request object that a handler sees: it reads the body of the exchange and sends the
 * response.
 */

import { STATUS_CODES } from "node:http";
import type {
  BodyFault,
  BodyPart,
  ClientRequest,
  ClientResponse,
  ResponseHead,
  ResponseSink,
} from "./client-request.ts";
import { closesAfter, paceBody, pumpBody, wholeBody } from "./exchange-body.ts";
import { findField, listFields } from "./request-head.ts";
import { type Connection, type Exchange, write, writeCopied } from "./server-connection.ts";
import { destroy, endConnection, finish } from "./server-events.ts";

export function requestOf(exchange: Exchange): ClientRequest {
  const { connection, head } = exchange;
  return {
    method: head.method,
    url: head.target,
    host: head.host,
    peer: connection.peer,
    length: head.body === "chunked" ? null : head.body,
    headers: { get: (name) => findField(head.fields, name) },
    fields: () => listFields(head),
    readBody: (bytesMax) => readBody(exchange, bytesMax),
    takeBody: () => takeBody(exchange),
    onDisconnect(tell) {
      if (exchange.isDisconnected) tell();
      else exchange.onDisconnect = tell;
    },
    respond: (response) => respond(exchange, response),
    stream: (response) => stream(exchange, response),
  };
}

function readBody(
  exchange: Exchange,
  bytesMax: number,
): Buffer | BodyFault | Promise<Buffer | BodyFault> {
  const { body } = exchange.head;
  if (body !== "chunked" && body > bytesMax) return "too-large";
  return wholeBody(exchange) ?? gatherBody(exchange, bytesMax);
}

/**
 * Memory for a body up to this size is allocated before it arrives; for a longer body, more as
 * bytes arrive.
 */
const gatherBytesMax = 256 * 1024;
/** Memory that is allocated first for a body of unknown length. */
const gatherBytesMin = 16 * 1024;

function gatherBody(exchange: Exchange, bytesMax: number): Promise<Buffer | BodyFault> {
  const { body } = exchange.head;
  const most = body === "chunked" ? bytesMax : body;
  const first = body === "chunked" ? gatherBytesMin : gatherBytesMax;
  return new Promise((resolve) => {
    let gathered: Buffer = Buffer.allocUnsafeSlow(Math.min(most, first));
    let length = 0;
    exchange.takeBody = (part) => {
      if (typeof part === "string") {
        resolve(part === "whole" ? gathered.subarray(0, length) : part);
        return;
      }
      const needed = length + part.length;
      if (needed > bytesMax) {
        exchange.takeBody = null;
        resolve("too-large");
        return;
      }
      if (needed > gathered.length) gathered = grown(gathered, length, needed, most);
      part.copy(gathered, length);
      length = needed;
      paceBody(exchange, part.length);
    };
    pumpBody(exchange);
  });
}

function grown(gathered: Buffer, length: number, needed: number, most: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(most, gathered.length * 2)));
  gathered.copy(larger, 0, 0, length);
  return larger;
}

function takeBody(exchange: Exchange): Promise<BodyPart> {
  return new Promise((resolve) => {
    exchange.takeBody = (part) => {
      exchange.takeBody = null;
      if (typeof part !== "string") paceBody(exchange, part.length);
      resolve(part);
    };
    pumpBody(exchange);
  });
}

/** A response up to this size is sent in one write together with its head. */
const joinedBytesMax = 64 * 1024;
/**
 * Memory in which heads and bodies are joined, used again for each response. Bytes that the kernel
 * does not accept immediately are copied out of it.
 */
const joining = Buffer.allocUnsafeSlow(joinedBytesMax);

function respond(exchange: Exchange, response: ClientResponse): void {
  if (!mayAnswer(exchange)) return;
  const { body, status } = response;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const length = bytes?.length ?? 0;
  exchange.closes = closesAfter(exchange);
  const isBodiless = status === 204 || status === 304;
  const head = headText(exchange, response, isBodiless ? "" : `content-length: ${length}\r\n`);
  exchange.isAnswered = true;
  const isSent = !isBodiless && exchange.head.method !== "HEAD";
  send(exchange.connection, head, isSent && bytes !== null ? bytes : noBytes, "");
  finish(exchange);
}

const noBytes = new Uint8Array();

function mayAnswer({ connection, isAnswered }: Exchange): boolean {
  return !isAnswered && connection.phase === "open";
}

/**
 * Sends a text, bytes that nobody changes afterwards, and another text, in one write if they are
 * small together.
 */
function send(connection: Connection, before: string, bytes: Uint8Array, after: string): void {
  const length = before.length + bytes.length + after.length;
  if (length > joinedBytesMax) {
    write(connection, Buffer.from(before, "latin1"));
    write(connection, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    if (after !== "") write(connection, Buffer.from(after, "latin1"));
    return;
  }
  joining.write(before, 0, "latin1");
  joining.set(bytes, before.length);
  if (after !== "") joining.write(after, before.length + bytes.length, "latin1");
  writeCopied(connection, joining, length);
}

/** Like `send`, for bytes whose memory is used again or freed afterwards. */
function sendLent(connection: Connection, before: string, bytes: Uint8Array, after: string): void {
  if (before.length + bytes.length + after.length <= joinedBytesMax) {
    send(connection, before, bytes, after);
    return;
  }
  write(connection, Buffer.from(before, "latin1"));
  const memory = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  writeCopied(connection, memory, memory.length);
  if (after !== "") write(connection, Buffer.from(after, "latin1"));
}

function stream(exchange: Exchange, response: ResponseHead): ResponseSink | null {
  if (!mayAnswer(exchange)) return null;
  const { connection, head } = exchange;
  // HTTP/1.0 has no chunks, so the connection's end marks the response's end.
  const isChunked = head.minorVersion === 1;
  exchange.closes = closesAfter(exchange) || !isChunked;
  /**
   * The response head, empty once sent. It is sent with the first bytes, or in the next microtask
   * if there are none yet.
   */
  let lead = headText(exchange, response, isChunked ? "transfer-encoding: chunked\r\n" : "");
  exchange.isAnswered = true;
  const takeLead = (): string => {
    const text = lead;
    lead = "";
    return text;
  };
  const isOver = (): boolean => connection.exchange !== exchange;
  queueMicrotask(() => {
    if (lead !== "" && !isOver()) send(connection, takeLead(), noBytes, "");
  });
  return {
    write(bytes) {
      if (isOver()) return;
      const size = isChunked ? `${bytes.length.toString(16)}\r\n` : "";
      sendLent(connection, takeLead() + size, bytes, isChunked ? "\r\n" : "");
    },
    isFull: () => connection.unsent.length > 0,
    onDrained(taken) {
      exchange.onDrained = taken;
    },
    end(last = noBytes) {
      if (isOver()) return;
      const size = isChunked && last.length > 0 ? `${last.length.toString(16)}\r\n` : "";
      const close = isChunked ? `${size === "" ? "" : "\r\n"}0\r\n\r\n` : "";
      send(connection, takeLead() + size, last, close);
      finish(exchange);
    },
    abort() {
      if (isOver()) return;
      exchange.onDisconnect = null;
      destroy(connection);
    },
  };
}

/**
 * Characters that a header value may not have, such as line ends. Values come from this program or
 * the platform, so one of these is a bug.
 */
const oddValue = /[^\t\x20-\x7e\x80-\xff]/;

function field(name: string, value: string): string {
  if (oddValue.test(value)) throw new Error(`invalid value of field ${name}: ${value}`);
  return `${name}: ${value}\r\n`;
}

function headText(exchange: Exchange, { headers, status }: ResponseHead, framing: string): string {
  let fields = "";
  for (const name in headers) {
    const value = headers[name] ?? [];
    if (typeof value === "string") fields += field(name, value);
    else for (const one of value) fields += field(name, one);
  }
  const { keepAliveField } = exchange.connection.server;
  const connection = exchange.closes ? "connection: close\r\n" : keepAliveField;
  return `${statusLine(status)}${fields}${dateField()}${connection}${framing}\r\n`;
}

const statusLines = new Map<number, string>();

function statusLine(status: number): string {
  const known = statusLines.get(status);
  if (known !== undefined) return known;
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
  statusLines.set(status, line);
  return line;
}

let dateSecond = 0;
let date = "";

function dateField(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = `date: ${new Date(second * 1_000).toUTCString()}\r\n`;
  }
  return date;
}

/** Answers an invalid or incomplete request, and closes the connection. */
export function refuse(connection: Connection, status: number): void {
  const text = `${(STATUS_CODES[status] ?? "").toLowerCase()}\n`;
  const fields = `content-type: text/plain\r\n${dateField()}connection: close\r\n`;
  const head = `${statusLine(status)}${fields}content-length: ${text.length}\r\n\r\n`;
  write(connection, Buffer.from(head + text, "latin1"));
  endConnection(connection);
}
