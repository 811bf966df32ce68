/**
 * Answers whose body has a content coding although none was asked for. They are unpacked with a
 * bound, because a few bytes can unpack to any size.
 */

import type { Transform } from "node:stream";
import { type ContentCoding, openUnpacking, unpack } from "#base/content-coding.ts";
import {
  fault,
  giveParts,
  type Part,
  type TransportAnswer,
  type TransportFault,
} from "./answer.ts";

/** The largest number of bytes that a body which is read piece by piece may unpack to. */
export const unpackedBytesMax = 256 * 1024 * 1024;

/**
 * Returns the answer with its body unpacked. If the coding is unknown, status and headers can still
 * be judged, and reading the body is a fault.
 */
export function unpackedAnswer(
  packed: TransportAnswer,
  coding: ContentCoding | "unknown",
): TransportAnswer {
  const { contentType = "", kind, mediaType, requestId = "", retryAfter, status } = packed;
  const { toldLimits = null } = packed;
  const head = { kind, mediaType, contentType, requestId, retryAfter, status, toldLimits };
  if (coding === "unknown") {
    const refuse = (): TransportFault => {
      packed.cancel();
      return fault("answer-compressed");
    };
    return {
      ...head,
      read: async () => refuse(),
      flowTo: (taker) => taker.takesEnd(refuse()),
      readAll: refuse,
      cancel: () => packed.cancel(),
    };
  }
  const unpacking: Unpacking = {
    packed,
    coding,
    stream: null,
    isHungry: true,
    hasEnded: false,
    wake: null,
    bytes: 0,
    fault: null,
  };
  return {
    ...head,
    read: () => read(unpacking),
    flowTo: (taker) => void giveParts(() => read(unpacking), taker),
    readAll: (bytesMax) => readAll(unpacking, bytesMax),
    cancel() {
      packed.cancel();
      unpacking.stream?.destroy();
    },
  };
}

type Unpacking = {
  readonly packed: TransportAnswer;
  readonly coding: ContentCoding;
  /** Unpacks what `read` reads; null: nothing has been read yet. */
  stream: Transform | null;
  /** Whether the stream has unpacked all it was given, and is to get more. */
  isHungry: boolean;
  hasEnded: boolean;
  /** Continues a read that waits for the stream; null: none does. */
  wake: (() => void) | null;
  /** How many bytes `read` has returned. */
  bytes: number;
  fault: TransportFault | null;
};

async function readAll(
  { packed, coding }: Unpacking,
  bytesMax: number,
): Promise<TransportFault | Uint8Array> {
  const given = await packed.readAll(bytesMax);
  if (!(given instanceof Uint8Array) || given.length === 0) return given;
  const unpacked = await unpack(coding, given, bytesMax);
  if (unpacked === "broken") return fault("answer-compressed");
  return unpacked === "too-large" ? fault("answer-too-large") : unpacked;
}

async function read(unpacking: Unpacking): Promise<Part> {
  for (;;) {
    if (unpacking.fault !== null) return unpacking.fault;
    const bytes: unknown = unpacking.stream?.read() ?? null;
    if (bytes instanceof Uint8Array) return taken(unpacking, bytes);
    if (unpacking.hasEnded) return null;
    if (unpacking.isHungry) await feed(unpacking);
    else await new Promise<void>((resolve) => (unpacking.wake = resolve));
  }
}

function taken(unpacking: Unpacking, bytes: Uint8Array): Part {
  unpacking.bytes += bytes.length;
  if (unpacking.bytes > unpackedBytesMax) {
    fail(unpacking, fault("answer-too-large"));
    return unpacking.fault;
  }
  // Copied, because the caller frees the memory of what it is given, which the stream still uses.
  return new Uint8Array(bytes);
}

/** Gives the stream the next bytes of the answer, or its end. */
async function feed(unpacking: Unpacking): Promise<void> {
  const part = await unpacking.packed.read();
  if (part === null) {
    unpacking.isHungry = false;
    if (unpacking.stream === null) unpacking.hasEnded = true;
    else unpacking.stream.end();
  } else if (part instanceof Uint8Array) {
    const stream = (unpacking.stream ??= openStream(unpacking, part));
    unpacking.isHungry = false;
    stream.write(part, () => {
      unpacking.isHungry = true;
      unpacking.wake?.();
    });
  } else fail(unpacking, part);
}

function openStream(unpacking: Unpacking, first: Uint8Array): Transform {
  const stream = openUnpacking(unpacking.coding, first);
  stream.on("readable", () => unpacking.wake?.());
  stream.on("end", () => {
    unpacking.hasEnded = true;
    unpacking.wake?.();
  });
  stream.on("error", (error) => {
    const isCut = "code" in error && error.code === "Z_BUF_ERROR";
    fail(unpacking, fault(isCut ? "answer-truncated" : "answer-compressed"));
    unpacking.wake?.();
  });
  return stream;
}

/** Ends an answer that cannot be unpacked any further. */
function fail(unpacking: Unpacking, how: TransportFault): void {
  unpacking.fault ??= how;
  unpacking.packed.cancel();
  unpacking.stream?.destroy();
}
