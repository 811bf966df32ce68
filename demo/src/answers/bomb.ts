/**
 * Compression bombs: bodies of a few kilobytes that unpack to gigabytes of spaces. A compressor is
 * run over two blocks with a flush in between; the second block's bytes then mean "the same again"
 * anywhere, so a body of any size is one block, repeated.
 */

import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { type BytesStep, bytes } from "@tollgate/demo/steps.ts";

type BombEncoding = "gzip" | "br";

/** Size of one unpacked block. Compressed it is 8 KiB of gzip, or some twenty bytes of Brotli. */
const bombBlockBytes = 8 * 1024 * 1024;
export const bombBytesDefault = 10 * 1024 ** 3;

/**
 * `first`: a block with the format's header; `again`: a block that may be repeated any number of
 * times; `end`: what ends the body.
 */
type Blocks = { readonly first: Uint8Array; readonly again: Uint8Array; readonly end: Uint8Array };

/**
 * Blocks by encoding. They are made at the first use of an encoding, because compressing takes some
 * milliseconds.
 */
const made = new Map<BombEncoding, Promise<Blocks>>();

export async function bombSteps(
  encoding: BombEncoding,
  unpackedBytes: number,
): Promise<Iterable<BytesStep>> {
  const known = made.get(encoding) ?? makeBlocks(encoding);
  made.set(encoding, known);
  return repeated(await known, Math.ceil(unpackedBytes / bombBlockBytes));
}

function* repeated({ first, again, end }: Blocks, count: number): Generator<BytesStep> {
  yield bytes(first);
  for (let index = 1; index < count; index += 1) yield bytes(again);
  yield bytes(end);
}

async function makeBlocks(encoding: BombEncoding): Promise<Blocks> {
  const compressor =
    encoding === "gzip"
      ? createGzip({ level: 9 })
      : createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const flush = encoding === "gzip" ? constants.Z_FULL_FLUSH : constants.BROTLI_OPERATION_FLUSH;
  const block = Buffer.alloc(bombBlockBytes, " ");
  const taken: Buffer[] = [];
  compressor.on("data", (chunk: Buffer) => taken.push(chunk));
  const pack = (): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      compressor.once("error", reject);
      compressor.write(block);
      compressor.flush(flush, () => {
        compressor.removeListener("error", reject);
        resolve(Buffer.concat(taken.splice(0)));
      });
    });
  const first = await pack();
  const again = await pack();
  compressor.destroy();
  return { first, again, end: encoding === "gzip" ? gzipEnd : brotliEnd };
}

/**
 * Ends a gzip body: an empty last block and a wrong checksum, which a reader notices only after it
 * has unpacked everything.
 */
const gzipEnd = Uint8Array.of(0x03, 0x00, 0, 0, 0, 0, 0, 0, 0, 0);
/** Ends a Brotli body: an empty last meta-block. Source: RFC 7932, section 9.2. */
const brotliEnd = Uint8Array.of(0x03);
