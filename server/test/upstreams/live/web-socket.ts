/** The server's end of a WebSocket (RFC 6455), as far as well-behaved clients need it. */

import { createHash } from "node:crypto";
import type { Connection } from "@tollgate/demo/connection.ts";
import type { DemoRequest } from "@tollgate/demo/request-parser.ts";

export type WebSocketEnd = {
  /** Sends a message of bytes, as Google does with its JSON. */
  send(message: object): void;
  close(code: number, reason: string): void;
};

type Listener = {
  message(text: string): void;
  closed(): void;
};

const keySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Lengths in the head of a frame that mean that the length follows in 2 or 8 bytes. */
const lengthIn2 = 126;
const lengthIn8 = 127;

/** The longest message, in bytes. */
const messageBytesMax = 16 * 1024 * 1024;

/** Accepts the WebSocket that a request asks for. Undefined: it asks for none. */
export function acceptWebSocket(
  request: DemoRequest,
  connection: Connection,
  listener: Listener,
): WebSocketEnd | undefined {
  const key = request.header("sec-websocket-key");
  if (key === undefined || request.header("upgrade")?.toLowerCase() !== "websocket") {
    return undefined;
  }
  const accept = createHash("sha1")
    .update(key + keySuffix)
    .digest("base64");
  const frames = openFrames();
  const close = (code: number, reason: string): void => {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    connection.send(frameOf(opcodes.close, Buffer.concat([payload, Buffer.from(reason)])));
    connection.finish();
  };
  connection.takeOver((bytes) => {
    for (const { opcode, payload } of frames.put(bytes)) {
      if (connection.isClosed()) return;
      if (opcode === opcodes.close) {
        connection.send(frameOf(opcodes.close, payload.subarray(0, 2)));
        connection.finish();
      } else if (opcode === opcodes.ping) connection.send(frameOf(opcodes.pong, payload));
      else if (opcode !== opcodes.pong) listener.message(payload.toString());
    }
    if (frames.isTooLong()) close(1_009, "the message is too long");
  });
  connection.send(
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" +
      `sec-websocket-accept: ${accept}\r\n\r\n`,
  );
  void connection.gone().then(() => listener.closed());
  return {
    send: (message) =>
      void connection.send(frameOf(opcodes.binary, Buffer.from(JSON.stringify(message)))),
    close,
  };
}

type Frame = { readonly opcode: number; readonly payload: Buffer };

/** Opens a reader of masked frames. A message in several frames comes as one. */
function openFrames() {
  let rest: Buffer = Buffer.alloc(0);
  let parts: Frame[] = [];
  return {
    put(bytes: Buffer): Frame[] {
      rest = Buffer.concat([rest, bytes]);
      const found: Frame[] = [];
      for (let frame = readFrame(rest); frame !== undefined; frame = readFrame(rest)) {
        rest = Buffer.from(rest.subarray(frame.end));
        if (frame.opcode >= opcodes.close) {
          found.push(frame);
          continue;
        }
        parts.push(frame);
        if (!frame.isLast) continue;
        const opcode = parts[0]?.opcode ?? opcodes.continuation;
        found.push({ opcode, payload: Buffer.concat(parts.map(({ payload }) => payload)) });
        parts = [];
      }
      return found;
    },
    isTooLong: () =>
      rest.length + parts.reduce((sum, { payload }) => sum + payload.length, 0) > messageBytesMax,
  };
}

/** Reads the frame at the start of the bytes. Undefined: it is not complete. */
function readFrame(
  bytes: Buffer,
): (Frame & { readonly end: number; readonly isLast: boolean }) | undefined {
  if (bytes.length < 2) return undefined;
  const first = bytes.readUInt8(0);
  const short = bytes.readUInt8(1) & 0x7f;
  const longer = short === lengthIn2 ? 2 : short === lengthIn8 ? 8 : 0;
  const maskAt = 2 + longer;
  if (bytes.length < maskAt + 4) return undefined;
  const length =
    longer === 0 ? short : longer === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const start = maskAt + 4;
  if (bytes.length < start + length) return undefined;
  const payload = Buffer.from(bytes.subarray(start, start + length));
  for (let at = 0; at < length; at += 1) {
    payload[at] = (payload[at] ?? 0) ^ (bytes[maskAt + (at % 4)] ?? 0);
  }
  return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload, end: start + length };
}

/** Returns a message of text as one frame. */
export function textFrame(text: string): Buffer {
  return frameOf(opcodes.text, Buffer.from(text));
}

function frameOf(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < lengthIn2 ? 2 : length < 65_536 ? 4 : 10);
  head.writeUInt8(0x80 | opcode, 0);
  if (head.length === 2) head.writeUInt8(length, 1);
  else if (head.length === 4) {
    head.writeUInt8(lengthIn2, 1);
    head.writeUInt16BE(length, 2);
  } else {
    head.writeUInt8(lengthIn8, 1);
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}
