/**
 * Reads a body that is one JSON value, for upstreams that know no streams. The value is given out
 * as soon as it is complete.
 */

import { FrameError, type Frame, type FrameReader, frameBytesMax, openByteQueue } from "./frame.ts";

export function openWholeReader(): FrameReader {
  const queue = openByteQueue();
  const nesting: Nesting = { open: 0, inText: false, isEscaped: false };
  const take = (): Frame[] => {
    const data = new TextDecoder().decode(queue.take(queue.size())).trim();
    return data === "" ? [] : [{ event: "message", data }];
  };
  return {
    push(chunk) {
      queue.add(chunk);
      if (queue.size() > frameBytesMax) throw new FrameError(`body exceeds ${frameBytesMax} bytes`);
      return isComplete(nesting, chunk) ? take() : [];
    },
    end: take,
    unfinishedBytes: queue.size,
  };
}

/** Where in the value its bytes have led so far. */
type Nesting = { open: number; inText: boolean; isEscaped: boolean };

const [quote, backslash, openBrace, closeBrace] = [0x22, 0x5c, 0x7b, 0x7d];

/** Follows the braces of the value through the next bytes. True: the last one is closed. */
function isComplete(nesting: Nesting, bytes: Uint8Array): boolean {
  let isClosed = false;
  for (const byte of bytes) {
    if (nesting.inText) {
      if (nesting.isEscaped) nesting.isEscaped = false;
      else if (byte === backslash) nesting.isEscaped = true;
      else if (byte === quote) nesting.inText = false;
    } else if (byte === quote) nesting.inText = true;
    else if (byte === openBrace) nesting.open += 1;
    else if (byte === closeBrace) {
      nesting.open -= 1;
      isClosed = nesting.open === 0;
    }
  }
  return isClosed;
}
