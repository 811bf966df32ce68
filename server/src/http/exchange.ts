/**
 * A request as its handler sees it: it reads the body and sends the response. This is a class,
 * because one is made for every call: an object literal would need a closure for each method.
 */

import { type ByteBudget, HeldBytes, type Owner } from "#base/memory/byte-budget.ts";
import { freeBytes } from "#base/free-bytes.ts";
import type {
  BodyFault,
  BodyPart,
  ClientResponse,
  Fields,
  ResponseHead,
  ResponseSink,
  WebSocketGiven,
} from "./client-request.ts";
import { readUpgrade } from "#websocket/handshake.ts";
import { messageBytesUsual, WebSocketEnd, type Wire } from "#websocket/web-socket.ts";
import { closesAfter, paceBody, pumpBody, wholeBody } from "./exchange-body.ts";
import { type BodyReader, newBodyReader } from "#http1/body-reader.ts";
import { fieldsStarting, findField } from "#http1/fields.ts";
import { listFields, type RequestHead, requestBodyRules } from "./request-head.ts";
import { headText, refusalText } from "./response-head.ts";
import {
  type Connection,
  type Exchange,
  pause,
  resume,
  write,
  writeCopied,
} from "./server-connection.ts";
import { destroy, endConnection, finish, upgrade } from "./server-events.ts";

export class ClientExchange implements Exchange, Fields, ResponseSink {
  readonly connection: Connection;
  readonly head: RequestHead;
  readonly body: BodyReader;
  bodyTaker: ((part: BodyPart) => void) | null = null;
  paceDueMs = Infinity;
  bodyDueMs = Infinity;
  silenceDueMs = Infinity;
  disconnectListener: (() => void) | null = null;
  disconnectDueMs: number;
  isDisconnected = false;
  isAnswered = false;
  closes = false;
  drainListener: (() => void) | null = null;
  /** Changes the head of the response before it is sent; null: nothing to change. */
  private headChange: ((head: ResponseHead) => ResponseHead) | null = null;
  /** Whether the body of the response is sent in chunks. */
  private isChunked = false;
  /**
   * The head of a streamed response, empty once sent. It is sent with the first bytes, or in the
   * next microtask if there are none yet.
   */
  private lead = "";

  constructor(connection: Connection, head: RequestHead, disconnectDueMs: number) {
    this.connection = connection;
    this.head = head;
    this.body = newBodyReader(head.body, requestBodyRules);
    this.disconnectDueMs = disconnectDueMs;
  }

  get method(): string {
    return this.head.method;
  }

  get url(): string {
    return this.head.target;
  }

  get host(): string {
    return this.head.host;
  }

  get peer(): string {
    return this.connection.peer;
  }

  get length(): number | null {
    const { body } = this.head;
    return body === "chunked" ? null : body;
  }

  get headers(): Fields {
    return this;
  }

  get(name: string): string | null {
    return findField(this.head.fields, name);
  }

  startingWith(prefix: string): readonly string[] | null {
    return fieldsStarting(this.head.fields, prefix);
  }

  fields(): [name: string, value: string][] {
    return listFields(this.head);
  }

  readBody(
    bytesMax: number,
    budget: ByteBudget,
    owner: Owner,
  ): Buffer | BodyFault | Promise<Buffer | BodyFault> {
    const { body } = this.head;
    if (body !== "chunked" && body > bytesMax) return "too-large";
    return wholeBody(this) ?? gatherBody(this, bytesMax, new HeldBytes({ budget, owner }));
  }

  freeBody(body: Uint8Array): void {
    const { pending } = this.connection;
    if (body.length < freedBodyMin) return;
    // A further request that came together with this body is in the same memory.
    if (pending === null || pending.buffer !== body.buffer) freeBytes(body);
  }

  takeBody(): Promise<BodyPart> {
    return new Promise((resolve) => {
      this.bodyTaker = (part) => {
        this.bodyTaker = null;
        if (typeof part !== "string") paceBody(this, part.length);
        resolve(part);
      };
      pumpBody(this);
    });
  }

  onDisconnect(disconnected: () => void): void {
    if (this.isDisconnected) disconnected();
    else this.disconnectListener = disconnected;
  }

  hasWaited(): boolean {
    const { connection } = this;
    const { isWoken } = connection;
    connection.isWoken = false;
    return isWoken;
  }

  changeHead(change: (head: ResponseHead) => ResponseHead): void {
    this.headChange = change;
  }

  respond(response: ClientResponse): void {
    if (!mayAnswer(this)) return;
    const { body, status } = response;
    if (response.rests === true) this.connection.rests = true;
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const length = bytes === null ? 0 : bytes.length;
    this.closes = closesAfter(this);
    const isBodiless = status === 204 || status === 304;
    const head = this.textOf(response, isBodiless ? "" : `content-length: ${length}\r\n`);
    this.isAnswered = true;
    const isSent = !isBodiless && this.head.method !== "HEAD";
    send(this.connection, head, isSent && bytes !== null ? bytes : noBytes, "");
    finish(this);
  }

  stream(head: ResponseHead): ResponseSink | null {
    if (!mayAnswer(this)) return null;
    // HTTP/1.0 has no chunks, so the connection's end marks the response's end.
    this.isChunked = this.head.minorVersion === 1;
    this.closes = closesAfter(this) || !this.isChunked;
    this.lead = this.textOf(head, this.isChunked ? "transfer-encoding: chunked\r\n" : "");
    this.isAnswered = true;
    queueMicrotask(() => {
      if (this.lead !== "" && !this.isOver()) send(this.connection, this.takeLead(), noBytes, "");
    });
    return this;
  }

  acceptWebSocket(given: WebSocketGiven): WebSocketEnd | null {
    return mayAnswer(this) ? acceptWebSocket(this, given) : null;
  }

  write(bytes: Uint8Array, chunk: Uint8Array | null = null): void {
    if (this.isOver()) return;
    if (chunk !== null && this.isChunked && this.lead === "") {
      writeCopied(this.connection, chunk, chunk.length);
      return;
    }
    const size = this.isChunked ? `${bytes.length.toString(16)}\r\n` : "";
    sendLent(this.connection, this.takeLead() + size, bytes, this.isChunked ? "\r\n" : "");
  }

  isFull(): boolean {
    return this.connection.unsent.length > 0;
  }

  onDrained(drained: () => void): void {
    this.drainListener = drained;
  }

  end(last: Uint8Array = noBytes): void {
    if (this.isOver()) return;
    const size = this.isChunked && last.length > 0 ? `${last.length.toString(16)}\r\n` : "";
    const close = this.isChunked ? `${size === "" ? "" : "\r\n"}0\r\n\r\n` : "";
    send(this.connection, this.takeLead() + size, last, close);
    finish(this);
  }

  abort(): void {
    if (this.isOver()) return;
    this.disconnectListener = null;
    destroy(this.connection);
  }

  private isOver(): boolean {
    return this.connection.exchange !== this;
  }

  private takeLead(): string {
    const text = this.lead;
    this.lead = "";
    return text;
  }

  private textOf(head: ResponseHead, framing: string): string {
    const { keepAliveField } = this.connection.server;
    const changed = this.headChange === null ? head : this.headChange(head);
    return headText(changed, framing, this.closes ? "connection: close\r\n" : keepAliveField);
  }
}

const noBytes = new Uint8Array();

/**
 * Memory of a shorter body is left to the garbage collector. That of a longer one is soon needed for
 * the next body; if it were collected later, the system would have to provide new pages for each.
 */
const freedBodyMin = 16 * 1024;

function mayAnswer({ connection, isAnswered }: Exchange): boolean {
  return !isAnswered && connection.phase === "open";
}

/**
 * Memory for a body up to this size is allocated before it arrives; for a longer body, more as
 * bytes arrive.
 */
const gatherBytesMax = 256 * 1024;
/** Memory that is allocated first for a body of unknown length. */
const gatherBytesMin = 16 * 1024;

function gatherBody(
  exchange: Exchange,
  bytesMax: number,
  held: HeldBytes,
): Promise<Buffer | BodyFault> {
  const { body } = exchange.head;
  const most = body === "chunked" ? bytesMax : body;
  const first = body === "chunked" ? gatherBytesMin : gatherBytesMax;
  return new Promise((resolve) => {
    let gathered: Buffer = Buffer.allocUnsafeSlow(Math.min(most, first));
    let length = 0;
    const fail = (fault: BodyFault): void => {
      exchange.bodyTaker = null;
      held.free();
      freeBytes(gathered);
      resolve(fault);
    };
    exchange.bodyTaker = (part) => {
      if (part === "whole") {
        held.free();
        resolve(gathered.subarray(0, length));
        return;
      }
      if (typeof part === "string") return fail(part);
      const needed = length + part.length;
      if (needed > bytesMax) return fail("too-large");
      const shortage = held.hold(needed);
      if (shortage !== null) return fail(shortage === "owner" ? "too-much" : "busy");
      if (needed > gathered.length) gathered = grown(gathered, length, needed, most);
      part.copy(gathered, length);
      length = needed;
      paceBody(exchange, part.length);
      // Unless a further request follows in it, nobody reads this memory again.
      if (exchange.connection.pending === null) freeBytes(part);
    };
    pumpBody(exchange);
  });
}

function grown(gathered: Buffer, length: number, needed: number, most: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(most, gathered.length * 2)));
  gathered.copy(larger, 0, 0, length);
  freeBytes(gathered);
  return larger;
}

/** A response up to this size is sent in one write together with its head. */
const joinedBytesMax = 64 * 1024;
/**
 * Memory in which heads and bodies are joined, used again for each response. Bytes that the kernel
 * does not accept immediately are copied out of it.
 */
const joining = Buffer.allocUnsafeSlow(joinedBytesMax);

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

/** Answers an invalid or incomplete request, and closes the connection. */
export function refuse(connection: Connection, status: number): void {
  write(connection, Buffer.from(refusalText(status), "latin1"));
  endConnection(connection);
}

/** Makes a client's connection a WebSocket, or says why not. */
function acceptWebSocket(exchange: Exchange, given: WebSocketGiven): WebSocketEnd | null {
  const { connection, head } = exchange;
  const { method, minorVersion } = head;
  const asked = readUpgrade({ method, minorVersion, hasBody: head.body !== 0 }, exchange.headers);
  if (asked.kind !== "asked") {
    const none = { status: 426, headers: { upgrade: "websocket" } };
    const { headers, status } = asked.kind === "refused" ? asked : none;
    exchange.respond({ status, headers, body: "" });
    return null;
  }
  const chosen = given.chooseProtocol?.(asked.protocols) ?? "";
  const protocol = asked.protocols.includes(chosen) ? chosen : "";
  const field = protocol === "" ? "" : `sec-websocket-protocol: ${protocol}\r\n`;
  const { held, messageBytesMax = messageBytesUsual } = given;
  const rules = { isClient: false, messageBytesMax, held, nowMs: connection.server.nowMs };
  const webSocket = new WebSocketEnd(wireOf(connection), rules, given.listener);
  exchange.isAnswered = true;
  upgrade(exchange, webSocket);
  const answer =
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" +
    `sec-websocket-accept: ${asked.accept}\r\n${field}\r\n`;
  write(connection, Buffer.from(answer, "latin1"));
  return webSocket;
}

function wireOf(connection: Connection): Wire {
  return {
    write: (bytes) => write(connection, bytes),
    isFull: () => connection.unsent.length > 0,
    pause: () => pause(connection),
    resume: () => resume(connection),
    end: () => endConnection(connection),
    destroy: () => destroy(connection),
  };
}
