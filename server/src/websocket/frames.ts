/**
 * Frames of WebSocket (RFC 6455, section 5), in both directions: reads them and the messages they
 * make, strictly and with a bound, and writes them.
 */

import { isUtf8 } from "node:buffer";
import type { HeldBytes } from "#base/memory/byte-budget.ts";
import { freeBytes } from "#base/free-bytes.ts";

export const opcodes = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
} as const;

/** Status codes of a close (RFC 6455, section 7.4.1). */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  /** Never sent: the other end closed without a code. */
  none: 1005,
  /** Never sent: the connection was lost. */
  abnormal: 1006,
  invalidText: 1007,
  policy: 1008,
  tooLarge: 1009,
  /** Registered at IANA (read 2026-11-29): the client may try again later. */
  tryAgainLater: 1013,
} as const;

/** The largest payload of a frame that controls the connection, in bytes. */
const controlBytesMax = 125;

/** Gets what frames say. None of its functions may throw. */
export type FrameTaker = {
  message(bytes: Buffer, isText: boolean): void;
  ping(bytes: Buffer): void;
  pong(): void;
  /** The other end closes. */
  closes(code: number, reason: string): void;
  /** The other end broke the protocol; the code says how. Nothing follows. */
  broken(code: number): void;
};

export type FrameReader = {
  /** Whether frames must be masked: those of clients must, those of servers must not be. */
  readonly isMasked: boolean;
  readonly messageBytesMax: number;
  /** Holds the memory of the message that is being read. */
  readonly held: HeldBytes;
  /** The head of a frame whose end has not arrived; null: the head is complete, or not begun. */
  pending: Buffer | null;
  frame: Frame | null;
  /**
   * What arrived of the message of text or binary frames, at the beginning of this memory, and how
   * many bytes that is.
   */
  gathered: Buffer;
  bytes: number;
  /** How many messages have been read to their end. */
  messages: number;
  /** The message that is being read; null: the next frame begins one. */
  kind: "binary" | "text" | null;
  /** Whether reading has ended, by a close or by an error. */
  isOver: boolean;
  /** Whether nobody wants messages any more: they are read, but not kept. */
  drops: boolean;
};

type Frame = {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly mask: Buffer | null;
  /** How many bytes of the payload are still to come, and how many came. */
  left: number;
  taken: number;
  /** The payload of a control frame. */
  readonly control: Buffer[];
};

const nothing = Buffer.alloc(0);

export function newFrameReader(
  isMasked: boolean,
  messageBytesMax: number,
  held: HeldBytes,
): FrameReader {
  return {
    isMasked,
    messageBytesMax,
    held,
    pending: null,
    frame: null,
    gathered: nothing,
    bytes: 0,
    messages: 0,
    kind: null,
    isOver: false,
    drops: false,
  };
}

/** Whether a frame or message has begun whose end has not arrived. */
export function isUnfinished({ frame, kind, pending }: FrameReader): boolean {
  return frame !== null || kind !== null || pending !== null;
}

/** Frees what has arrived of a message, of which nobody wants the rest. */
export function dropMessages(reader: FrameReader): void {
  reader.drops = true;
  reader.held.free();
  freeBytes(reader.gathered);
  reader.gathered = nothing;
  reader.bytes = 0;
}

/**
 * Reads bytes of the connection. The bytes are unmasked in place.
 *
 * @param goesOn is asked before each frame; false: the rest is returned, to be fed later.
 */
export function feedFrames(
  reader: FrameReader,
  bytes: Buffer,
  taker: FrameTaker,
  goesOn: () => boolean,
): Buffer | null {
  let rest = reader.pending === null ? bytes : Buffer.concat([reader.pending, bytes]);
  reader.pending = null;
  while (!reader.isOver && (rest.length > 0 || reader.frame?.left === 0)) {
    if (reader.frame === null) {
      if (!goesOn()) return rest;
      const read = readFrameHead(reader, rest);
      if (read === "incomplete") {
        reader.pending = Buffer.from(rest);
        return null;
      }
      if (typeof read === "number") fail(reader, taker, read);
      else {
        reader.frame = read.frame;
        rest = rest.subarray(read.length);
      }
    } else {
      const size = Math.min(reader.frame.left, rest.length);
      const isHeld = takePayload(reader, reader.frame, rest.subarray(0, size));
      rest = rest.subarray(size);
      if (!isHeld) fail(reader, taker, closeCodes.tryAgainLater);
      else if (reader.frame.left === 0) endFrame(reader, reader.frame, taker);
    }
  }
  return null;
}

function fail(reader: FrameReader, taker: FrameTaker, code: number): void {
  reader.isOver = true;
  dropMessages(reader);
  taker.broken(code);
}

/** Reads the head of a frame. A number: the code of what is wrong with it. */
function readFrameHead(
  reader: FrameReader,
  bytes: Buffer,
): { frame: Frame; length: number } | number | "incomplete" {
  const [first = 0, second] = bytes;
  const opcode = first & 0x0f;
  const isControl = opcode >= opcodes.close;
  const isFinal = (first & 0x80) !== 0;
  // The reserved bits belong to extensions, of which none is ever agreed on.
  if ((first & 0x70) !== 0 || !isOrderly(reader, opcode, isFinal)) return closeCodes.protocolError;
  if (second === undefined) return "incomplete";
  if (((second & 0x80) !== 0) !== reader.isMasked) return closeCodes.protocolError;
  const short = second & 0x7f;
  if (isControl && short > controlBytesMax) return closeCodes.protocolError;
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  const length = 2 + lengthBytes + (reader.isMasked ? 4 : 0);
  if (bytes.length < length) return "incomplete";
  const size = lengthBytes === 0 ? short : readLength(bytes, lengthBytes);
  if (!isControl && reader.bytes + size > reader.messageBytesMax) return closeCodes.tooLarge;
  const mask = reader.isMasked ? Buffer.from(bytes.subarray(length - 4, length)) : null;
  return { frame: { opcode, isFinal, mask, left: size, taken: 0, control: [] }, length };
}

function readLength(bytes: Buffer, lengthBytes: number): number {
  if (lengthBytes === 2) return bytes.readUInt16BE(2);
  const size = bytes.readBigUInt64BE(2);
  return size > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(size);
}

/** Whether a frame of this kind may come now. */
function isOrderly({ kind }: FrameReader, opcode: number, isFinal: boolean): boolean {
  switch (opcode) {
    case opcodes.continuation:
      return kind !== null;
    case opcodes.text:
    case opcodes.binary:
      return kind === null;
    case opcodes.close:
    case opcodes.ping:
    case opcodes.pong:
      return isFinal;
    default:
      return false;
  }
}

/** Takes bytes of a frame's payload. False: there is no memory for them. */
function takePayload(reader: FrameReader, frame: Frame, bytes: Buffer): boolean {
  if (frame.mask !== null) applyMask(bytes, frame.mask, frame.taken);
  frame.left -= bytes.length;
  frame.taken += bytes.length;
  if (bytes.length === 0) return true;
  if (frame.opcode >= opcodes.close) frame.control.push(bytes);
  else if (!reader.drops) {
    const isWhole = frame.isFinal && frame.left === 0 && reader.bytes === 0;
    if (isWhole) reader.gathered = bytes;
    else return gather(reader, frame, bytes);
    reader.bytes = bytes.length;
  }
  return true;
}

/**
 * Copies a piece whose message is not complete: it may be a small view of a large chunk, or one of
 * millions.
 */
function gather(reader: FrameReader, { isFinal, left }: Frame, bytes: Buffer): boolean {
  const { gathered, held, messageBytesMax } = reader;
  const needed = reader.bytes + bytes.length;
  if (needed > gathered.length) {
    // The last frame tells how long the message will be.
    const most = isFinal ? needed + left : messageBytesMax;
    const size = Math.max(needed, Math.min(most, gathered.length * 2));
    if (held.hold(size) !== null) return false;
    const larger = Buffer.allocUnsafeSlow(size);
    gathered.copy(larger, 0, 0, reader.bytes);
    freeBytes(gathered);
    reader.gathered = larger;
  }
  bytes.copy(reader.gathered, reader.bytes);
  reader.bytes = needed;
  return true;
}

function endFrame(reader: FrameReader, frame: Frame, taker: FrameTaker): void {
  reader.frame = null;
  const { opcode, isFinal } = frame;
  if (opcode >= opcodes.close) {
    endControl(reader, opcode, Buffer.concat(frame.control), taker);
    return;
  }
  if (opcode !== opcodes.continuation) reader.kind = opcode === opcodes.text ? "text" : "binary";
  if (!isFinal) return;
  const { kind } = reader;
  const bytes = reader.gathered.subarray(0, reader.bytes);
  reader.held.free();
  reader.gathered = nothing;
  reader.bytes = 0;
  reader.messages += 1;
  reader.kind = null;
  if (kind === "text" && !isUtf8(bytes)) fail(reader, taker, closeCodes.invalidText);
  else taker.message(bytes, kind === "text");
}

function endControl(reader: FrameReader, opcode: number, bytes: Buffer, taker: FrameTaker): void {
  if (opcode === opcodes.ping) taker.ping(bytes);
  else if (opcode === opcodes.pong) taker.pong();
  else {
    const code =
      bytes.length === 0 ? closeCodes.none : bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
    const reason = bytes.subarray(2);
    if (bytes.length > 0 && !isCloseCode(code)) fail(reader, taker, closeCodes.protocolError);
    else if (!isUtf8(reason)) fail(reader, taker, closeCodes.invalidText);
    else {
      reader.isOver = true;
      taker.closes(code, reason.toString());
    }
  }
}

/** Whether a code may be sent (RFC 6455, section 7.4, and IANA's registry, read 2026-11-23). */
export function isCloseCode(code: number): boolean {
  if (code >= 3000 && code <= 4999) return true;
  return code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006;
}

function applyMask(bytes: Buffer, mask: Buffer, offset: number): void {
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = (bytes[at] ?? 0) ^ (mask[(offset + at) & 3] ?? 0);
  }
}

/** Returns a whole message, or a control frame, as one frame. `isMasked`: clients must mask theirs. */
export function writeFrame(opcode: number, payload: Uint8Array, isMasked: boolean): Buffer {
  const { length } = payload;
  const lengthBytes = length < 126 ? 0 : length <= 0xffff ? 2 : 8;
  const head = 2 + lengthBytes + (isMasked ? 4 : 0);
  const frame = Buffer.allocUnsafeSlow(head + length);
  const short = lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127;
  frame[0] = 0x80 | opcode;
  frame[1] = (isMasked ? 0x80 : 0) | short;
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2);
  if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.set(payload, head);
  if (isMasked) {
    const mask = frame.subarray(head - 4, head);
    crypto.getRandomValues(mask);
    applyMask(frame.subarray(head), mask, 0);
  }
  return frame;
}

/** Returns the payload of a close frame. The reason is cut to what fits. */
export function closePayload(code: number, reason: string): Buffer {
  if (code === closeCodes.none) return Buffer.alloc(0);
  const bytes = Buffer.from(reason);
  let length = Math.min(bytes.length, controlBytesMax - 2);
  // Not in the middle of a character.
  while (length < bytes.length && length > 0 && ((bytes[length] ?? 0) & 0xc0) === 0x80) length -= 1;
  const payload = Buffer.alloc(2 + length);
  payload.writeUInt16BE(code, 0);
  bytes.copy(payload, 2, 0, length);
  return payload;
}
