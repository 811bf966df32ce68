/**
 * Reads the binary event streams of Amazon Web Services. A frame is its length, the length of its
 * headers, a checksum of both, the headers, the payload, and a checksum of all before it; numbers
 * are big-endian.
 * Format: https://smithy.io/2.0/aws/amazon-eventstream.html (read 2026-11-23).
 */

import { crc32 } from "node:zlib";
import { type Frame, FrameError, type FrameReader, frameBytesMax, openByteQueue } from "./frame.ts";

/** Bytes of the two lengths and their checksum, and of the checksum at the end. */
const preludeBytes = 12;
const checksumBytes = 4;

/** The largest headers, in bytes, that the format allows. */
const headerBytesMax = 128 * 1024;

/**
 * Opens a reader whose frames are named by their event type. A frame that reports an exception has
 * the exception's type as its name, an error frame the name `error` and its message as JSON.
 */
export function openAwsEventReader(): FrameReader {
  const queue = openByteQueue();
  /** The length of the frame that arrives; 0: it is not known yet. */
  let length = 0;
  return {
    push(chunk) {
      queue.add(chunk);
      const frames: Frame[] = [];
      for (;;) {
        if (length === 0 && queue.size() >= preludeBytes) {
          length = frameLength(queue.peek(preludeBytes));
        }
        if (length === 0 || queue.size() < length) return frames;
        frames.push(readFrame(queue.take(length)));
        length = 0;
      }
    },
    end() {
      if (queue.size() > 0) throw new FrameError("the stream ends inside a frame");
      return [];
    },
    unfinishedBytes: queue.size,
  };
}

/** Checks the lengths at the beginning of a frame, before any byte behind them is waited for. */
function frameLength(prelude: Uint8Array): number {
  const view = viewOf(prelude);
  const length = view.getUint32(0);
  const headerBytes = view.getUint32(4);
  if (view.getUint32(8) !== crc32(prelude.subarray(0, 8))) {
    throw new FrameError("the lengths of a frame do not match their checksum");
  }
  const fits = headerBytes <= length - preludeBytes - checksumBytes;
  if (length > frameBytesMax || headerBytes > headerBytesMax || !fits) {
    throw new FrameError(`a frame of ${length} bytes with ${headerBytes} bytes of headers`);
  }
  return length;
}

function readFrame(bytes: Uint8Array): Frame {
  const view = viewOf(bytes);
  const end = bytes.length - checksumBytes;
  if (view.getUint32(end) !== crc32(bytes.subarray(0, end))) {
    throw new FrameError("a frame does not match its checksum");
  }
  const payloadAt = preludeBytes + view.getUint32(4);
  const headers = readHeaders(bytes.subarray(preludeBytes, payloadAt));
  const data = decoder.decode(bytes.subarray(payloadAt, end));
  switch (headers.get(":message-type")) {
    case "exception":
      return { event: headers.get(":exception-type") ?? "exception", data };
    case "error": {
      const code = headers.get(":error-code") ?? "";
      const message = headers.get(":error-message") ?? "";
      return { event: "error", data: JSON.stringify({ code, message }) };
    }
    default:
      return { event: headers.get(":event-type") ?? "message", data };
  }
}

const decoder = new TextDecoder();

/** Bytes of the values of each header type, by the type's number; null: the value has a length. */
const valueBytes: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];
const textType = 7;

/** Reads the headers with a text; those of other types name nothing that is needed. */
function readHeaders(bytes: Uint8Array): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const view = viewOf(bytes);
  let at = 0;
  const skip = (count: number): number => {
    const start = at;
    at += count;
    if (at > bytes.length) throw new FrameError("a header exceeds the headers of its frame");
    return start;
  };
  while (at < bytes.length) {
    const nameBytes = view.getUint8(skip(1));
    const nameAt = skip(nameBytes);
    const name = decoder.decode(bytes.subarray(nameAt, at));
    const type = view.getUint8(skip(1));
    const fixed = valueBytes[type];
    if (fixed === undefined) throw new FrameError(`a header has the unknown type ${type}`);
    const valueAt = skip(fixed ?? view.getUint16(skip(2)));
    if (type === textType) headers.set(name, decoder.decode(bytes.subarray(valueAt, at)));
  }
  return headers;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
