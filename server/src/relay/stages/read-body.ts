/** Reads a call's body and unpacks it. Limits its size before and after unpacking. */

import { brotliDecompress, gunzip, type ZlibOptions } from "node:zlib";
import type { BodyFault, ClientRequest } from "#http/client-request.ts";
import {
  bodyTooLarge,
  bodyTooSlow,
  bodyUnreadable,
  encodingUnknown,
  wrongMediaType,
} from "#relay/answers/refusals.ts";

/** A compressed body may unpack to at most this many times its size. */
const unpackRatioMax = 100;

type Bytes = Uint8Array;

/**
 * Reads and unpacks the body. Returns no promise if the body arrived with the head, as small ones
 * do.
 *
 * @throws CallRefusal 400, 408, 413 or 415, also as a rejection.
 */
export function readBody(request: ClientRequest, bytesMax: number): Bytes | Promise<Bytes> {
  checkMediaType(request.headers.get("content-type"));
  const encoding = request.headers.get("content-encoding");
  const unpack = encoding === null || encoding === "identity" ? null : findUnpacker(encoding);
  const reading = request.readBody(bytesMax);
  const whole =
    reading instanceof Promise
      ? reading.then((read) => bytesOf(read, bytesMax))
      : bytesOf(reading, bytesMax);
  return unpack === null ? whole : unpackWhole(unpack, whole, bytesMax);
}

/**
 * Refuses media types other than JSON. A proxy in front or the upstream could parse the same bytes
 * as a form, and see another request than the one that is checked and billed here.
 */
function checkMediaType(contentType: string | null): void {
  if (contentType === null || contentType === "application/json") return;
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (type !== "" && type !== "application/json") throw wrongMediaType();
}

function bytesOf(read: Buffer | BodyFault, bytesMax: number): Bytes {
  switch (read) {
    case "broken":
      throw bodyUnreadable("the body breaks off");
    case "too-large":
      throw bodyTooLarge(bytesMax);
    case "too-slow":
      throw bodyTooSlow();
  }
  return read;
}

async function unpackWhole(
  unpack: Unpacker,
  packed: Bytes | Promise<Bytes>,
  bytesMax: number,
): Promise<Bytes> {
  return await unpackBytes(unpack, await packed, bytesMax);
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

/**
 * Finds the function that unpacks a content encoding. A list of encodings is refused, because
 * unpacking twice would multiply the ratio.
 */
function findUnpacker(encoding: string): Unpacker {
  const name = encoding.trim().toLowerCase();
  const unpacker = Object.hasOwn(unpackers, name) ? unpackers[name] : undefined;
  if (unpacker === undefined) throw encodingUnknown(encoding.slice(0, 40));
  return unpacker;
}

/**
 * Unpacks a body on another thread. Refuses it if it exceeds the size limit or the unpack ratio.
 */
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
