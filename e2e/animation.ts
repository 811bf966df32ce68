/** Puts screenshots together as one animated PNG, each frame holding only what changed. */

import { crc32 } from "node:zlib";
import type { Page } from "@playwright/test";

/** A screenshot, and how long it is shown. */
export type Frame = { readonly png: Buffer; readonly showMs: number };

/** A rectangle cut out of a frame; its place is in pixels from the frame's top left corner. */
type Piece = {
  readonly png: Buffer;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly showMs: number;
};

/**
 * Makes the animated PNG.
 *
 * @param page any page: pictures are compared in a browser, because it can decode them.
 */
export async function animate(page: Page, frames: readonly Frame[]): Promise<Buffer> {
  const pieces: Piece[] = [];
  let before: Buffer | undefined;
  for (const { png, showMs } of frames) {
    const changed = await cutChange(page, before, png);
    const last = pieces.at(-1);
    if (changed !== undefined) pieces.push({ ...changed, showMs });
    else if (last !== undefined) pieces.splice(-1, 1, { ...last, showMs: last.showMs + showMs });
    before = png;
  }
  return assemble(pieces);
}

/**
 * Cuts out the smallest rectangle that differs from the frame before; undefined: nothing differs.
 */
async function cutChange(
  page: Page,
  before: Buffer | undefined,
  png: Buffer,
): Promise<Omit<Piece, "showMs"> | undefined> {
  const texts = [png, before].map((each) => each?.toString("base64") ?? "");
  const cut = await page.evaluate(async ([after = "", earlier = ""]) => {
    const read = async (text: string): Promise<ImageData> => {
      const image = new Image();
      image.src = `data:image/png;base64,${text}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      if (context === null) throw new Error("no canvas");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    };
    const picture = await read(after);
    const { width, height } = picture;
    let [left, top, right, bottom] = [0, 0, width, height];
    if (earlier !== "") {
      const now = new Uint32Array(picture.data.buffer);
      const then = new Uint32Array((await read(earlier)).data.buffer);
      [left, top, right, bottom] = [width, height, 0, 0];
      for (const [at, pixel] of now.entries()) {
        if (pixel === then[at]) continue;
        const [x, y] = [at % width, Math.floor(at / width)];
        left = Math.min(left, x);
        top = Math.min(top, y);
        right = Math.max(right, x + 1);
        bottom = Math.max(bottom, y + 1);
      }
      if (right === 0) return undefined;
    }
    const canvas = new OffscreenCanvas(right - left, bottom - top);
    canvas.getContext("2d")?.putImageData(picture, -left, -top);
    const blob = await canvas.convertToBlob({ type: "image/png" });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const size = { x: left, y: top, width: right - left, height: bottom - top };
    return { ...size, bytes: Array.from(bytes) };
  }, texts);
  if (cut === undefined) return undefined;
  const { bytes, ...place } = cut;
  return { ...place, png: Buffer.from(bytes) };
}

/**
 * Builds the bytes of an animated PNG from the pieces. Source:
 * https://www.w3.org/TR/png-3/#apng-frame-based-animation, read 2026-11-22.
 */
function assemble(pieces: readonly Piece[]): Buffer {
  const [first] = pieces;
  if (first === undefined) throw new Error("there is no frame");
  let sequence = 0;
  const parts = [first.png.subarray(0, 8), ...chunksOf(first.png, "IHDR").map(chunk("IHDR"))];
  parts.push(chunk("acTL")(words(pieces.length, 0)));
  for (const [at, piece] of pieces.entries()) {
    parts.push(chunk("fcTL")(frameHead(piece, sequence++)));
    for (const data of chunksOf(piece.png, "IDAT")) {
      if (at === 0) parts.push(chunk("IDAT")(data));
      else parts.push(chunk("fdAT")(Buffer.concat([words(sequence++), data])));
    }
  }
  return Buffer.concat([...parts, chunk("IEND")(Buffer.alloc(0))]);
}

/**
 * Returns the control chunk of a frame. Its last two bytes, both 0, mean: the frame stays, and the
 * next one is drawn over it.
 */
function frameHead({ x, y, width, height, showMs }: Piece, sequence: number): Buffer {
  const delay = Buffer.alloc(6);
  delay.writeUInt16BE(showMs, 0);
  delay.writeUInt16BE(1_000, 2);
  return Buffer.concat([words(sequence, width, height, x, y), delay]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
}

/** Returns the contents of a PNG's chunks of one type. */
function chunksOf(png: Buffer, type: string): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === type) {
      found.push(png.subarray(at + 8, at + 8 + length));
    }
    at += length + 12;
  }
  return found;
}

function chunk(type: string): (content: Buffer) => Buffer {
  return (content) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
    return Buffer.concat([words(content.length), body, words(crc32(body))]);
  };
}
