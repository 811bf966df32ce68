/**
 * Reads server-sent events that have a field `meta` beside their data, as the third version of
 * Zhipu's API sends them. A frame's data is a JSON object of both.
 */

import { FrameError, type Frame, type FrameReader, frameBytesMax, openByteQueue } from "./frame.ts";

export function openMetaEventReader(): FrameReader {
  const queue = openByteQueue();
  return {
    push(chunk) {
      queue.add(chunk);
      const size = queue.size();
      const kept = Buffer.from(queue.peek(size));
      const end = Math.max(kept.lastIndexOf("\n\n") + 2, kept.lastIndexOf("\n\r\n") + 3);
      // Without a blank line both positions are below 3.
      if (end >= 3) return readEvents(queue.take(end));
      if (size > frameBytesMax) throw new FrameError(`frame exceeds ${frameBytesMax} bytes`);
      return [];
    },
    end: () => readEvents(queue.take(queue.size())),
  };
}

/** A line with a space behind the colon, or without a value. */
const spacedLine = /^\w+:(?: |$)/;

/**
 * The space behind a colon is no part of a value where each line has one. The servers write none, so
 * that a text may begin with a space of its own.
 */
function readEvents(bytes: Uint8Array): Frame[] {
  const text = new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
  return text.split(/\n{2,}/).flatMap((event) => {
    const lines = event.split("\n").filter((line) => line.includes(":"));
    if (lines.length === 0) return [];
    const isSpaced = lines.every((line) => spacedLine.test(line));
    const valuesOf = (name: string): string[] =>
      lines
        .filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + (isSpaced ? 2 : 1)));
    const data = JSON.stringify({
      data: valuesOf("data").join("\n"),
      meta: valuesOf("meta").join("\n"),
    });
    return [{ event: valuesOf("event")[0] ?? "message", data }];
  });
}
