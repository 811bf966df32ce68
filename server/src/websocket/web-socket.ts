/**
 * One end of a WebSocket (RFC 6455), server's or client's. Its owner gives it the bytes of the
 * connection and the time; its user sends and gets messages, at the pace of both sides.
 */

import type { HeldBytes } from "#base/memory/byte-budget.ts";
import {
  closeCodes,
  closePayload,
  dropMessages,
  feedFrames,
  type FrameReader,
  type FrameTaker,
  isCloseCode,
  isUnfinished,
  newFrameReader,
  opcodes,
  writeFrame,
} from "./frames.ts";

/** The connection below. Its bytes are those behind the heads of the upgrade. */
export type Wire = {
  /** Sends bytes, which are not changed afterwards. */
  write(bytes: Buffer): void;
  /** Whether earlier bytes still wait for the other end to read them. */
  isFull(): boolean;
  pause(): void;
  resume(): void;
  /** Ends the connection once everything is sent. */
  end(): void;
  /** Closes the connection immediately. */
  destroy(): void;
};

/** What the user of an end hears. None of its functions may throw. */
export type WebSocketListener = {
  /** A whole message; `isText`: it is valid UTF-8. The memory is the listener's. */
  message(bytes: Buffer, isText: boolean): void;
  /** What was sent has been taken, after `isFull` returned true. */
  drained(): void;
  /** Called once, at last. 1005: the other end gave no code. 1006: the connection was lost. */
  closed(code: number, reason: string): void;
};

type WebSocketRules = {
  readonly isClient: boolean;
  /** The largest message that is read, in bytes; a larger one ends the connection with 1009. */
  readonly messageBytesMax: number;
  /** Holds the memory of messages that are not complete. */
  readonly held: HeldBytes;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
};

/** The largest message that is read if the user sets no limit, in bytes. */
export const messageBytesUsual = 16 * 1024 * 1024;
/** An end that hears nothing for this long asks whether the other is still there. */
export const pingMs = 30_000;
/** An end that hears nothing for this long takes the connection for lost. */
export const silenceMs = 75_000;
/** How long a message may take from its first byte to its last, while it is read. */
export const messageMs = 60_000;
/** How long the other end may take to answer a close. */
export const closeMs = 5_000;

export class WebSocketEnd implements FrameTaker {
  /** Whether messages may be sent: neither end has closed. */
  isOpen = true;
  private readonly wire: Wire;
  private readonly rules: WebSocketRules;
  private readonly reader: FrameReader;
  private listener: WebSocketListener | null;
  /** Bytes that arrived while the user wanted none. */
  private held: Buffer | null = null;
  isPaused = false;
  private isFeeding = false;
  private heardMs: number;
  private hasAsked = false;
  /** When the message that is being read must be complete, and how many were before it. */
  private messageDueMs = Infinity;
  private messages = 0;
  /** When the other end must have closed; infinite: no close was sent. */
  private closeDueMs = Infinity;
  /** The answer to the last ping while the wire is full; null: none is owed. */
  private owedPong: Buffer | null = null;
  /** How the other end closed; null: it has not. */
  private closing: { readonly code: number; readonly reason: string } | null = null;

  constructor(wire: Wire, rules: WebSocketRules, listener: WebSocketListener) {
    this.wire = wire;
    this.rules = rules;
    this.listener = listener;
    this.reader = newFrameReader(!rules.isClient, rules.messageBytesMax, rules.held);
    this.heardMs = rules.nowMs();
  }

  /** Sends a message: a string as text, bytes as binary. Ignored once an end has closed. */
  send(message: Uint8Array | string): void {
    if (!this.isOpen) return;
    const isText = typeof message === "string";
    const bytes = isText ? Buffer.from(message) : message;
    this.write(isText ? opcodes.text : opcodes.binary, bytes);
  }

  /** Sends bytes that are valid UTF-8 as text. */
  sendText(bytes: Uint8Array): void {
    if (this.isOpen) this.write(opcodes.text, bytes);
  }

  /** Whether earlier messages still wait to be sent. When they have been, `drained` is called. */
  isFull(): boolean {
    return this.wire.isFull();
  }

  /** Stops hearing messages until `resume` is called; the other end is slowed down. */
  pause(): void {
    this.isPaused = true;
    this.wire.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    const { held } = this;
    this.held = null;
    // The time in which nothing was read is not the other end's silence.
    this.heardMs = this.rules.nowMs();
    if (held !== null) this.feed(held);
    if (!this.isPaused) this.wire.resume();
  }

  /** Begins to close. Messages that were sent arrive before. */
  close(code: number = closeCodes.normal, reason = ""): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const isSendable = isCloseCode(code) || code === closeCodes.none;
    this.write(opcodes.close, closePayload(isSendable ? code : closeCodes.normal, reason));
    this.closeDueMs = this.rules.nowMs() + closeMs;
    // What still comes is only read for the answer.
    dropMessages(this.reader);
    if (this.isPaused) this.resume();
  }

  /** Closes the connection immediately. */
  terminate(): void {
    this.wire.destroy();
    this.lost();
  }

  // For the owner of the connection:

  received(bytes: Buffer): void {
    this.heardMs = this.rules.nowMs();
    this.hasAsked = false;
    if (this.isPaused || this.isFeeding) {
      this.held = this.held === null ? bytes : Buffer.concat([this.held, bytes]);
    } else this.feed(bytes);
  }

  /** The connection is lost, or has ended. */
  lost(): void {
    this.isOpen = false;
    dropMessages(this.reader);
    const { code, reason } = this.closing ?? { code: closeCodes.abnormal, reason: "" };
    this.tellClosed(code, reason);
  }

  wireDrained(): void {
    const { owedPong } = this;
    this.owedPong = null;
    if (owedPong !== null && this.isOpen) this.write(opcodes.pong, owedPong);
    if (!this.wire.isFull()) this.listener?.drained();
  }

  tick(nowMs: number): void {
    const silentMs = this.isPaused ? 0 : nowMs - this.heardMs;
    if (nowMs >= this.closeDueMs || silentMs >= silenceMs) this.terminate();
    else if (silentMs >= pingMs && this.isOpen && !this.hasAsked) {
      this.hasAsked = true;
      this.write(opcodes.ping, Buffer.alloc(0));
    }
    this.checkMessage(nowMs);
  }

  /** Ends the connection if the message that is being read takes too long. */
  private checkMessage(nowMs: number): void {
    const { isPaused, reader } = this;
    if (reader.isOver) return;
    if (!isUnfinished(reader)) this.messageDueMs = Infinity;
    else if (isPaused || reader.messages !== this.messages || this.messageDueMs === Infinity) {
      this.messages = reader.messages;
      this.messageDueMs = nowMs + messageMs;
    } else if (nowMs >= this.messageDueMs) {
      reader.isOver = true;
      dropMessages(reader);
      this.broken(closeCodes.policy, "a message took too long");
    }
  }

  private feed(bytes: Buffer): void {
    this.isFeeding = true;
    let rest: Buffer | null = bytes;
    while (rest !== null) {
      const left = feedFrames(this.reader, rest, this, () => !this.isPaused);
      const { held } = this;
      this.held = null;
      rest = left !== null && held !== null ? Buffer.concat([left, held]) : (left ?? held);
      if (this.isPaused) {
        this.held = rest;
        break;
      }
    }
    this.isFeeding = false;
  }

  private write(opcode: number, bytes: Uint8Array): void {
    this.wire.write(writeFrame(opcode, bytes, this.rules.isClient));
  }

  private tellClosed(code: number, reason: string): void {
    const { listener } = this;
    this.listener = null;
    listener?.closed(code, reason);
  }

  // What the frames say:

  message(bytes: Buffer, isText: boolean): void {
    // Behind its own close an end need not hear anything.
    if (this.isOpen) this.listener?.message(bytes, isText);
  }

  ping(bytes: Buffer): void {
    if (!this.isOpen) return;
    // Only the last of many pings is answered to an end that does not read.
    if (this.wire.isFull()) this.owedPong = Buffer.from(bytes);
    else this.write(opcodes.pong, bytes);
  }

  pong(): void {}

  broken(code: number, reason = ""): void {
    this.closing = { code: closeCodes.abnormal, reason: "" };
    const said = code === closeCodes.tryAgainLater ? "too much is unfinished" : reason;
    if (this.isOpen) this.write(opcodes.close, closePayload(code, said));
    this.isOpen = false;
    this.closeDueMs = Math.min(this.closeDueMs, this.rules.nowMs() + closeMs);
    this.wire.end();
    // An upstream that is late is, to those behind this end, one that was lost.
    const isLate = code === closeCodes.policy && this.rules.isClient;
    this.tellClosed(isLate ? closeCodes.abnormal : code, said);
  }

  /** The other end closes: the close is answered, and the server ends the connection. */
  closes(code: number, reason: string): void {
    this.closing = { code, reason };
    if (this.isOpen) this.write(opcodes.close, closePayload(code, ""));
    this.isOpen = false;
    if (this.rules.isClient) this.closeDueMs = this.rules.nowMs() + closeMs;
    else this.wire.end();
    this.tellClosed(code, reason);
  }
}
