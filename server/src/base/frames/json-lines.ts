/** Reads a stream of one JSON value a line. Lines may end with LF or CRLF; empty ones are skipped. */

import { FrameError, type FrameReader, frameBytesMax, openByteQueue } from "./frame.ts";

const lineFeed = 0x0a;

export function openLineReader(): FrameReader {
  const queue = openByteQueue();
  const read = (bytes: Uint8Array) => {
    const data = new TextDecoder().decode(bytes).trim();
    return data === "" ? [] : [{ event: "message", data }];
  };
  return {
    push(chunk) {
      const frames = [];
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        queue.add(chunk.subarray(start, end));
        frames.push(...read(queue.take(queue.size())));
        start = end + 1;
      }
      queue.add(chunk.subarray(start));
      if (queue.size() > frameBytesMax) {
        throw new FrameError(`line exceeds ${frameBytesMax} bytes`);
      }
      return frames;
    },
    end: () => read(queue.take(queue.size())),
    unfinishedBytes: queue.size,
  };
}
