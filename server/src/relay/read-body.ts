/** The body of a call off the wire: bounded in size, in time and in what it may unpack to. */

import { brotliDecompress, gunzip, type ZlibOptions } from "node:zlib";
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
 * Reads and unpacks the body.
 *
 * @throws CallRefusal 400, 408, 413 or 415.
 */
export async function readBody(
  request: Request,
  limits: { readonly bytesMax: number; readonly ticker: Ticker },
): Promise<Bytes> {
  const { headers } = request;
  checkMediaType(headers.get("content-type"));
  const encoding = headers.get("content-encoding");
  const unpack = encoding === null || encoding === "identity" ? null : findUnpacker(encoding);
  const announced = headers.get("content-length");
  const length = announced === null ? null : Number(announced);
  if (length !== null && length > limits.bytesMax) throw bodyTooLarge(limits.bytesMax);
  const packed = await readInTime(request, length, limits);
  return unpack === null ? packed : await unpackBytes(unpack, packed, limits.bytesMax);
}

/** What a program calls by another name would be read as JSON here and as a form elsewhere. */
function checkMediaType(contentType: string | null): void {
  if (contentType === null || contentType === "application/json") return;
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (type !== "" && type !== "application/json") throw wrongMediaType();
}

async function readInTime(
  request: Request,
  length: number | null,
  { bytesMax, ticker }: { readonly bytesMax: number; readonly ticker: Ticker },
): Promise<Bytes> {
  if (request.body === null) return new Uint8Array();
  const isWhole = length !== null && length <= wholeBytesMax;
  const pace = openPace(ticker, isWhole ? length : 0);
  try {
    if (!isWhole) return await readParts(request.body, bytesMax, pace);
    return await Promise.race([request.bytes(), pace.tooSlow]);
  } catch (error) {
    throw pace.isOver() ? bodyTooSlow() : asRefusal(error);
  } finally {
    pace.end();
  }
}

async function readParts(
  body: ReadableStream<Uint8Array>,
  bytesMax: number,
  pace: Pace,
): Promise<Bytes> {
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), pace.tooSlow]);
      if (done) return Buffer.concat(parts, bytes);
      bytes += value.length;
      if (bytes > bytesMax) throw bodyTooLarge(bytesMax);
      pace.received(value.length);
      parts.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
}

/** A connection that broke, or sent chunks that are none, is the client's fault. */
function asRefusal(error: unknown): unknown {
  return error instanceof Error && error.name === "CallRefusal"
    ? error
    : bodyUnreadable("the body cannot be read");
}

type Pace = {
  /** Rejects when the body is too slow. */
  readonly tooSlow: Promise<never>;
  received(bytes: number): void;
  isOver(): boolean;
  end(): void;
};

/** @param credited bytes that need not come piece by piece. */
function openPace(ticker: Ticker, credited: number): Pace {
  let dueMs = ticker.nowMs() + bodyGraceMs + (credited / bodyBytesPerSecondMin) * 1_000;
  let over = false;
  const { promise, reject } = Promise.withResolvers<never>();
  // Nobody may be waiting when it rejects.
  promise.catch(() => {});
  const ticking: Ticking = {
    tick(nowMs) {
      if (nowMs < dueMs) return;
      over = true;
      ticker.remove(ticking);
      reject(new Error("too slow"));
    },
  };
  ticker.add(ticking);
  return {
    tooSlow: promise,
    received(bytes) {
      dueMs += (bytes / bodyBytesPerSecondMin) * 1_000;
    },
    isOver: () => over,
    end: () => ticker.remove(ticking),
  };
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
