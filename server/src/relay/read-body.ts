/** The body of a call off the wire: bounded in size, in time and in what it may unpack to. */

import { brotliDecompress, gunzip, type ZlibOptions } from "node:zlib";
import { CallRefusal } from "./call-refusal.ts";
import {
  bodyTooLarge,
  bodyTooSlow,
  bodyUnreadable,
  encodingUnknown,
  wrongMediaType,
} from "./refusal-text.ts";
import type { Ticker, Ticking } from "./ticker.ts";

/** A body may take this long, however slow. */
export const bodyGraceMs = 10_000;
/** After it, so many bytes must have come for every second since. */
export const bodyBytesPerSecondMin = 1_024;

/** A packed body grows to this many times its size at most. */
const unpackRatioMax = 100;

/**
 * Bodies whose announced length is below are read in one piece, with the time the slowest allowed
 * client needs for the whole as their limit. Larger ones are counted as they come.
 */
const wholeBytesMax = 256 * 1024;

type Bytes = Uint8Array;

/**
 * Reads and unpacks the body; at once when it came with the head, as small ones do.
 *
 * @throws CallRefusal 400, 408, 413 or 415, also as a rejection.
 */
export function readBody(
  request: Request,
  limits: { readonly bytesMax: number; readonly ticker: Ticker },
): Bytes | Promise<Bytes> {
  const { headers } = request;
  checkMediaType(headers.get("content-type"));
  const encoding = headers.get("content-encoding");
  const unpack = encoding === null || encoding === "identity" ? null : findUnpacker(encoding);
  const announced = headers.get("content-length");
  const length = announced === null ? null : Number(announced);
  if (length !== null && length > limits.bytesMax) throw bodyTooLarge(limits.bytesMax);
  if (unpack !== null) {
    return readInTime(request, length, limits).then((packed) =>
      unpackBytes(unpack, packed, limits.bytesMax),
    );
  }
  if (length === null || length > wholeBytesMax) return readInTime(request, length, limits);
  const reading = request.bytes();
  const known = Bun.peek(reading);
  return known instanceof Promise ? inTime(reading, openPace(limits.ticker, length)) : known;
}

/** What a program calls by another name would be read as JSON here and as a form elsewhere. */
function checkMediaType(contentType: string | null): void {
  if (contentType === null || contentType === "application/json") return;
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (type !== "" && type !== "application/json") throw wrongMediaType();
}

function readInTime(
  request: Request,
  length: number | null,
  { bytesMax, ticker }: { readonly bytesMax: number; readonly ticker: Ticker },
): Promise<Bytes> {
  const isWhole = length !== null && length <= wholeBytesMax;
  const pace = openPace(ticker, isWhole ? length : 0);
  const reading = isWhole ? request.bytes() : readParts(request.body, bytesMax, pace);
  return inTime(reading, pace);
}

/** What is read, unless it comes too slowly. */
function inTime(reading: Promise<Bytes>, pace: Pace): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const end = (result: unknown): void => {
      pace.end();
      if (result instanceof Uint8Array) resolve(result);
      else reject(result instanceof CallRefusal ? result : bodyUnreadable("the body breaks off"));
    };
    pace.onSlow = () => end(bodyTooSlow());
    reading.then(end, end);
  });
}

async function readParts(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
  pace: Pace,
): Promise<Bytes> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    pace.received(value.length);
    parts.push(value);
    if (bytes <= bytesMax && !pace.isOver()) continue;
    reader.cancel().catch(() => {});
    throw bodyTooLarge(bytesMax);
  }
  return Buffer.concat(parts, bytes);
}

type Pace = {
  onSlow: (() => void) | null;
  received(bytes: number): void;
  /** Nobody waits for the body any more. */
  isOver(): boolean;
  end(): void;
};

/** @param credited bytes that need not come piece by piece. */
function openPace(ticker: Ticker, credited: number): Pace {
  let dueMs = ticker.nowMs() + bodyGraceMs + (credited / bodyBytesPerSecondMin) * 1_000;
  let over = false;
  const ticking: Ticking = {
    tick(nowMs) {
      if (nowMs >= dueMs) pace.onSlow?.();
    },
  };
  ticker.add(ticking);
  const pace: Pace = {
    onSlow: null,
    received(bytes) {
      dueMs += (bytes / bodyBytesPerSecondMin) * 1_000;
    },
    isOver: () => over,
    end() {
      over = true;
      ticker.remove(ticking);
    },
  };
  return pace;
}

type Unpacker = (
  packed: Bytes,
  options: ZlibOptions,
  done: (error: Error | null, unpacked: Buffer) => void,
) => void;

const unpackers: Readonly<Record<string, Unpacker>> = {
  br: (packed, { maxOutputLength }, done) =>
    brotliDecompress(packed, maxOutputLength === undefined ? {} : { maxOutputLength }, done),
  gzip: gunzip,
};

/** One encoding only: several nested ones multiply what a small body can grow to. */
function findUnpacker(encoding: string): Unpacker {
  const name = encoding.trim().toLowerCase();
  const unpacker = Object.hasOwn(unpackers, name) ? unpackers[name] : undefined;
  if (unpacker === undefined) throw encodingUnknown(encoding.slice(0, 40));
  return unpacker;
}

/** Off this thread, and never to more than the limits say. */
async function unpackBytes(unpack: Unpacker, packed: Bytes, bytesMax: number): Promise<Bytes> {
  const maxOutputLength = Math.max(1, Math.min(bytesMax, packed.length * unpackRatioMax));
  return await new Promise((resolve, reject) => {
    unpack(packed, { maxOutputLength }, (error, unpacked) => {
      if (error === null) resolve(unpacked);
      else reject(unpackRefusal(error, maxOutputLength));
    });
  });
}

function unpackRefusal(error: Error, bytesMax: number): Error {
  return "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
    ? bodyTooLarge(bytesMax)
    : bodyUnreadable("the body is not what its content-encoding says");
}
