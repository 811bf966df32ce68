import { openAwsEventReader } from "#base/frames/aws-event-stream.ts";
import type { FrameReader } from "#base/frames/frame.ts";
import { openLineReader } from "#base/frames/json-lines.ts";
import { openSseReader } from "#base/sse.ts";
import type { Framing } from "#formats/translation.ts";

const openers: Readonly<Record<Framing, () => FrameReader>> = {
  "aws-event-stream": openAwsEventReader,
  "json-lines": openLineReader,
  sse: openSseReader,
};

/** Opens a reader of the frames of one stream. */
export function openFrames(framing: Framing): FrameReader {
  return openers[framing]();
}
