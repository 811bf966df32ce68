/**
 * One response over a WebSocket: to the relay it is a request like any other, `POST /v1/responses`
 * with the header fields of the upgrade, so that it is judged, held, charged and logged as one. What
 * is sent to it goes to the client as messages.
 */

import { frameBytesMax } from "#base/frames/frame.ts";
import { joinData, openSseCutter } from "#base/sse.ts";
import type {
  BodyFault,
  BodyPart,
  ClientRequest,
  ClientResponse,
  Fields,
  ResponseHead,
  ResponseSink,
} from "#http/client-request.ts";
import { eventMessage, readEvent, readSaid, refusalMessage, type Said } from "./events.ts";

type TurnGiven = {
  readonly lane: string;
  readonly host: string;
  readonly peer: string;
  readonly headers: Fields;
  readonly body: Buffer;
  /** The answer to a response that breaks off without an end. */
  readonly broken: () => ClientResponse;
  readonly send: (message: Uint8Array) => void;
  readonly isFull: () => boolean;
  /** Called once, after the last message; null: there is nothing to continue. */
  readonly onEnd: (said: Said | null) => void;
};

export class SocketTurn implements ClientRequest, ResponseSink {
  readonly method = "POST";
  readonly url = "/v1/responses";
  readonly host: string;
  readonly peer: string;
  readonly headers: Fields;
  readonly length: number;
  private readonly given: TurnGiven;
  private readonly cutter = openSseCutter(frameBytesMax);
  private head: ResponseHead = { status: 200 };
  private disconnectListener: (() => void) | null = null;
  private drainListener: (() => void) | null = null;
  private isAnswered = false;
  private isDisconnected = false;
  /** Whether a message was sent, and the one that ends the response. */
  private hasSent = false;
  private hasEnded = false;
  private said: Said | null = null;
  private isOver = false;

  constructor(given: TurnGiven) {
    this.given = given;
    this.host = given.host;
    this.peer = given.peer;
    this.headers = given.headers;
    this.length = given.body.length;
  }

  // What the session calls:

  /** The client is gone. */
  disconnect(): void {
    if (this.isDisconnected || this.isOver) return;
    this.isDisconnected = true;
    this.disconnectListener?.();
  }

  /** The client has taken what was sent. */
  drained(): void {
    this.drainListener?.();
  }

  // The request:

  fields(): [name: string, value: string][] {
    return [];
  }

  readBody(bytesMax: number): Buffer | BodyFault {
    const { body } = this.given;
    return body.length > bytesMax ? "too-large" : body;
  }

  freeBody(): void {}

  async takeBody(): Promise<BodyPart> {
    return "whole";
  }

  onDisconnect(disconnected: () => void): void {
    if (this.isDisconnected) disconnected();
    else this.disconnectListener = disconnected;
  }

  hasWaited(): boolean {
    return false;
  }

  changeHead(): void {}

  acceptWebSocket(): null {
    return null;
  }

  // The response:

  respond(response: ClientResponse): void {
    if (this.isAnswered) return;
    this.isAnswered = true;
    this.fail(response);
    this.finish();
  }

  stream(head: ResponseHead): ResponseSink | null {
    if (this.isAnswered || this.isDisconnected) return null;
    this.isAnswered = true;
    this.head = head;
    return this;
  }

  write(bytes: Uint8Array): void {
    if (this.isOver || this.hasEnded) return;
    this.cutter.feed(bytes);
    this.passEvents(this.cutter.next);
    this.cutter.keepRest();
  }

  isFull(): boolean {
    return this.given.isFull();
  }

  onDrained(drained: () => void): void {
    this.drainListener = drained;
  }

  end(last: Uint8Array = new Uint8Array()): void {
    if (this.isOver) return;
    this.write(last);
    if (!this.hasEnded) this.passEvents(this.cutter.finish);
    if (!this.hasEnded) this.fail(this.given.broken());
    this.finish();
  }

  abort(): void {
    if (this.isOver) return;
    if (!this.hasEnded) this.fail(this.given.broken());
    this.finish();
  }

  private passEvents(next: () => ReturnType<typeof this.cutter.next>): void {
    for (let kind = next(); kind !== "none" && !this.hasEnded; kind = next()) {
      if (kind === "event") this.passEvent(joinData(this.cutter.cut));
      else this.fail(this.given.broken());
    }
  }

  private passEvent(data: Uint8Array): void {
    const event = readEvent(data);
    if (event === undefined) return;
    const told = { lane: this.given.lane, head: this.head };
    if (event.isEnd) {
      this.hasEnded = true;
      this.said = readSaid(event) ?? null;
    }
    this.given.send(eventMessage(event, told, !this.hasSent));
    this.hasSent = true;
  }

  /** Ends the response with an error. */
  private fail(response: ClientResponse): void {
    this.hasEnded = true;
    this.said = null;
    const { headers, requestId } = this.head;
    const head = { ...(requestId === undefined ? {} : { requestId }), headers: headers ?? {} };
    this.given.send(refusalMessage({ ...head, ...response }, this.given.lane));
  }

  private finish(): void {
    this.isOver = true;
    this.disconnectListener = null;
    this.drainListener = null;
    this.given.onEnd(this.said);
  }
}

/** Header fields that belong to the upgrade, or to one request alone. */
const ofUpgrade = /^(?:connection|content-.*|expect|idempotency-key|sec-websocket-.*|upgrade)$/;

/** The betas that only a WebSocket has, as clients name them. */
const socketBeta = /^responses_websockets=/;

/**
 * Returns the header fields of each response: those of the upgrade, without what concerns the
 * WebSocket alone.
 *
 * @param key the key that a browser has put into a subprotocol; empty: none.
 */
export function turnHeaders(headers: Fields, key: string): Fields {
  return {
    get(name) {
      if (ofUpgrade.test(name)) return null;
      const value = headers.get(name);
      if (name === "authorization" && value === null) return key === "" ? null : `Bearer ${key}`;
      return name === "openai-beta" && value !== null ? withoutSocketBeta(value) : value;
    },
    startingWith: (prefix) => headers.startingWith?.(prefix) ?? null,
  };
}

function withoutSocketBeta(value: string): string | null {
  const betas = value.split(",").map((each) => each.trim());
  const kept = betas.filter((each) => !socketBeta.test(each)).join(", ");
  return kept === "" ? null : kept;
}
