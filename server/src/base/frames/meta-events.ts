/**
 * Reads server-sent events that have a field `meta` beside their data, as the third version of
 * Zhipu's API sends them. A frame's data is a JSON object of both.
 */

import { FrameError, type Frame, type FrameReader, frameBytesMax, openByteQueue } from "./frame.ts";

const lineFeed = 0x0a;

export function openMetaEventReader(): FrameReader {
  /** The bytes of the line that has begun. */
  const queue = openByteQueue();
  /** The lines of the event that has begun. */
  let lines: string[] = [];
  let lineBytes = 0;

  const endLine = (): Frame[] => {
    lineBytes += queue.size() + 1;
    const line = new TextDecoder().decode(queue.take(queue.size())).replace(/\r$/, "");
    if (line === "") return endEvent();
    lines.push(line);
    return [];
  };
  const endEvent = (): Frame[] => {
    const event = readEvent(lines);
    lines = [];
    lineBytes = 0;
    return event;
  };

  return {
    push(chunk) {
      const frames = [];
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        queue.add(chunk.subarray(start, end));
        frames.push(...endLine());
        start = end + 1;
      }
      queue.add(chunk.subarray(start));
      if (lineBytes + queue.size() > frameBytesMax) {
        throw new FrameError(`frame exceeds ${frameBytesMax} bytes`);
      }
      return frames;
    },
    end: () => [...endLine(), ...endEvent()],
    unfinishedBytes: () => lineBytes + queue.size(),
  };
}

/** A line with a space behind the colon, or without a value. */
const spacedLine = /^\w+:(?: |$)/;

/**
 * The space behind a colon is no part of a value where each line has one. The servers write none, so
 * that a text may begin with a space of its own.
 */
function readEvent(all: readonly string[]): Frame[] {
  const lines = all.filter((line) => line.includes(":"));
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
}
