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

function readEvents(bytes: Uint8Array): Frame[] {
  const text = new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
  return text.split(/\n{2,}/).flatMap((event) => {
    const lines = event.split("\n").filter((line) => line.includes(":"));
    if (lines.length === 0) return [];
    const valuesOf = (name: string): string[] =>
      lines
        .filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
    const data = JSON.stringify({
      data: valuesOf("data").join("\n"),
      meta: valuesOf("meta").join("\n"),
    });
    return [{ event: valuesOf("event")[0] ?? "message", data }];
  });
}
