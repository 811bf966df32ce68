/**
 * Finds where an HTTP/1.1 answer ends, at as little cost as that can be done: the generator's work
 * takes CPU from what it measures. Lengths and chunks, no trailers, no upgrades, no pipelining.
 */

export type AnswerReader = {
  /** True once the answer is whole. @throws Error when it is not HTTP. */
  read(bytes: Buffer): boolean;
  status(): number;
  /** Whether the answer held the text that was looked for. */
  found(): boolean;
  /** For the next answer. */
  reset(): void;
};

const headBytesMax = 64 * 1024;
const empty = Buffer.alloc(0);

/** @param wanted text every answer must have; found when it lies within one read. */
export function openAnswerReader(wanted: string): AnswerReader {
  let head = empty;
  let status = 0;
  /** Bytes left of the body, or of the chunk with its line end; −1: the head is being read. */
  let leftBytes = -1;
  let chunked = false;
  /** Digits of a chunk's size seen so far; null: not inside a size line. */
  let size: string | null = null;
  let lastChunk = false;
  let found = wanted === "";

  function readHead(bytes: Buffer): Buffer | null {
    const all = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
    const end = all.indexOf("\r\n\r\n");
    if (end < 0) {
      if (all.length > headBytesMax) throw new Error("the head does not end");
      head = all;
      return null;
    }
    const text = all.latin1Slice(0, end);
    status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    chunked = length === undefined;
    if (chunked && !/\r\ntransfer-encoding: *chunked/i.test(text)) {
      throw new Error(`an answer without an end: ${text.slice(0, 200)}`);
    }
    leftBytes = chunked ? 0 : Number(length);
    size = chunked ? "" : null;
    head = empty;
    return all.subarray(end + 4);
  }

  /** Walks over the chunks in `bytes`; true at the end of the last one. */
  function readChunks(bytes: Buffer): boolean {
    let at = 0;
    while (at < bytes.length) {
      if (size !== null) {
        const lineEnd = bytes.indexOf(10, at);
        if (lineEnd < 0) {
          size += bytes.latin1Slice(at);
          return false;
        }
        const bodyBytes = Number.parseInt(size + bytes.latin1Slice(at, lineEnd), 16);
        if (Number.isNaN(bodyBytes)) throw new Error("a chunk without a size");
        size = null;
        lastChunk = bodyBytes === 0;
        leftBytes = bodyBytes + 2;
        at = lineEnd + 1;
      }
      const taken = Math.min(leftBytes, bytes.length - at);
      leftBytes -= taken;
      at += taken;
      if (leftBytes > 0) return false;
      if (lastChunk) return true;
      size = "";
    }
    return false;
  }

  return {
    read(bytes) {
      const body = leftBytes < 0 ? readHead(bytes) : bytes;
      if (body === null) return false;
      if (!found) found = body.includes(wanted);
      if (chunked) return readChunks(body);
      leftBytes -= body.length;
      return leftBytes <= 0;
    },
    status: () => status,
    found: () => found,
    reset() {
      status = 0;
      leftBytes = -1;
      chunked = false;
      size = null;
      lastChunk = false;
      found = wanted === "";
    },
  };
}
