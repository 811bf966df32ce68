/**
 * Reads a body that is one JSON value, for upstreams that know no streams. The value is given out
 * as soon as it is complete.
 */

import { FrameError, type Frame, type FrameReader, frameBytesMax, openByteQueue } from "./frame.ts";

export function openWholeReader(): FrameReader {
  const queue = openByteQueue();
  const take = (): Frame[] => {
    const data = new TextDecoder().decode(queue.take(queue.size())).trim();
    return data === "" ? [] : [{ event: "message", data }];
  };
  return {
    push(chunk) {
      queue.add(chunk);
      if (queue.size() > frameBytesMax) throw new FrameError(`body exceeds ${frameBytesMax} bytes`);
      return isComplete(queue.peek(queue.size())) ? take() : [];
    },
    end: take,
    unfinishedBytes: queue.size,
  };
}

function isComplete(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes).trimEnd();
  // Most parts of a value end otherwise, and are not parsed.
  if (!text.endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
