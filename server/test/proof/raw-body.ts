/** Reads the body of an HTTP/1.1 answer: chunked, with a length, or up to the end of the socket. */

type BodyReader = {
  start(status: number, headers: ReadonlyMap<string, string>): void;
  push(bytes: Buffer): void;
  /**
   * Whether all announced bytes of the body have arrived. Never true for a body that ends with its
   * socket.
   */
  isComplete(): boolean;
  /** The number of bytes of the body so far, without chunk framing. */
  bytes(): number;
  text(): string;
};

type Framing = "chunked" | "length" | "none" | "socket";

export function openBodyReader(keptBytesMax: number): BodyReader {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let count = 0;
  let framing: Framing = "socket";
  /** The number of bytes of the body that are still missing. */
  let left = 0;

  function keep(bytes: Buffer): void {
    count += bytes.length;
    if (keptBytes >= keptBytesMax) return;
    const part = bytes.subarray(0, keptBytesMax - keptBytes);
    kept.push(Buffer.from(part));
    keptBytes += part.length;
  }
  const chunks = openChunks(keep);
  const isComplete = (): boolean => {
    if (framing === "chunked") return chunks.isComplete();
    return framing === "none" || (framing === "length" && left === 0);
  };

  return {
    start(status, headers) {
      const length = headers.get("content-length");
      framing = headers.get("transfer-encoding") === "chunked" ? "chunked" : "socket";
      if (framing === "socket" && length !== undefined) framing = "length";
      if (status === 204 || status === 304) framing = "none";
      left = Number(length ?? 0);
    },
    push(bytes) {
      if (framing === "chunked") {
        chunks.push(bytes);
      } else if (framing === "length") {
        keep(bytes.subarray(0, left));
        left -= Math.min(left, bytes.length);
      } else if (framing === "socket") {
        keep(bytes);
      }
    },
    isComplete,
    bytes: () => count,
    text: () => Buffer.concat(kept).toString("utf8"),
  };
}

/**
 * Reads a chunked body.
 *
 * @param keep gets the content of the chunks.
 */
function openChunks(keep: (bytes: Buffer) => void) {
  let complete = false;
  let inChunk = false;
  let inTrailer = false;
  /** The number of bytes of the current chunk that are still missing. */
  let left = 0;
  /** A line that arrived in part: a chunk's size, or one of the trailer. */
  let line = "";

  /**
   * Reads a line of the framing: a chunk's size, the empty line behind a chunk, or a line of the
   * trailer.
   */
  function readLine(text: string): void {
    if (inTrailer) {
      complete = text === "";
      return;
    }
    if (text === "") return;
    left = Number.parseInt(text, 16);
    if (Number.isNaN(left)) throw new Error(`not a chunk size: ${text.slice(0, 40)}`);
    if (left === 0) inTrailer = true;
    else inChunk = true;
  }

  return {
    isComplete: () => complete,
    push(bytes: Buffer): void {
      let at = 0;
      while (at < bytes.length && !complete) {
        if (inChunk) {
          const part = bytes.subarray(at, at + left);
          keep(part);
          at += part.length;
          left -= part.length;
          if (left === 0) inChunk = false;
          continue;
        }
        const end = bytes.indexOf(10, at);
        line += bytes.subarray(at, end < 0 ? bytes.length : end).toString("latin1");
        if (end < 0) return;
        at = end + 1;
        readLine(line.replace(/\r$/, ""));
        line = "";
      }
    },
  };
}
