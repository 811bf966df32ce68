/**
 * Finds the end of an HTTP/1.1 answer as cheaply as possible, because the generator shares the CPU
 * with what it measures. Understands Content-Length and chunked bodies; no trailers, upgrades or
 * pipelining.
 */

export type AnswerReader = {
  /**
   * Reads further bytes of an answer. @returns true once it is whole. @throws Error when it is not
   * HTTP.
   */
  read(bytes: Buffer): boolean;
  status(): number;
  /** Whether the answer contained the text that it must contain. */
  found(): boolean;
  /** Prepares for the next answer. */
  reset(): void;
};

const headBytesMax = 64 * 1024;
const lineFeed = 10;
const empty: Buffer = Buffer.alloc(0);

/**
 * Opens a reader of the answers on one connection, one after the other.
 * @param wanted text that every answer must contain, within one read.
 */
export function openAnswerReader(wanted: string): AnswerReader {
  const chunks = openChunkReader();
  let head = empty;
  let status = 0;
  let headSeen = false;
  /** Bytes left of a body of known length; −1: the body is chunked. */
  let leftBytes = 0;
  let found = wanted === "";

  function readHead(bytes: Buffer): Buffer | null {
    const all = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
    const end = all.indexOf("\r\n\r\n");
    if (end < 0) {
      if (all.length > headBytesMax) throw new Error("the head does not end");
      head = all;
      return null;
    }
    const text = all.toString("latin1", 0, end);
    status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (length === undefined && !/\r\ntransfer-encoding: *chunked/i.test(text)) {
      throw new Error(`an answer without an end: ${text.slice(0, 200)}`);
    }
    leftBytes = Number(length ?? -1);
    headSeen = true;
    return all.subarray(end + 4);
  }

  return {
    read(bytes) {
      const body = headSeen ? bytes : readHead(bytes);
      if (body === null) return false;
      if (!found) found = body.includes(wanted);
      if (leftBytes < 0) return chunks.read(body);
      leftBytes -= body.length;
      return leftBytes <= 0;
    },
    status: () => status,
    found: () => found,
    reset() {
      chunks.reset();
      head = empty;
      status = 0;
      headSeen = false;
      found = wanted === "";
    },
  };
}

type ChunkReader = { read(bytes: Buffer): boolean; reset(): void };

function openChunkReader(): ChunkReader {
  /** The part of a chunk's size line that was read so far; null: inside a chunk. */
  let sizeText: string | null = "";
  /** Bytes left of the chunk and of the line end behind it. */
  let leftBytes = 0;
  let isLast = false;

  return {
    /** Skips over the chunks in `bytes`. @returns true at the end of the last one. */
    read(bytes) {
      let at = 0;
      while (at < bytes.length) {
        if (sizeText !== null) {
          const lineEnd = bytes.indexOf(lineFeed, at);
          sizeText += bytes.toString("latin1", at, lineEnd < 0 ? bytes.length : lineEnd);
          if (lineEnd < 0) return false;
          const bodyBytes = Number.parseInt(sizeText, 16);
          if (Number.isNaN(bodyBytes)) throw new Error("a chunk without a size");
          isLast = bodyBytes === 0;
          leftBytes = bodyBytes + 2;
          sizeText = null;
          at = lineEnd + 1;
        }
        const taken = Math.min(leftBytes, bytes.length - at);
        leftBytes -= taken;
        at += taken;
        if (leftBytes > 0) return false;
        sizeText = "";
        if (isLast) return true;
      }
      return false;
    },
    reset() {
      sizeText = "";
      leftBytes = 0;
      isLast = false;
    },
  };
}
