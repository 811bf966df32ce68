import { openAwsEventReader } from "#base/frames/aws-event-stream.ts";
import { openMetaEventReader } from "#base/frames/meta-events.ts";
import type { FrameReader } from "#base/frames/frame.ts";
import { openLineReader } from "#base/frames/json-lines.ts";
import { openWholeReader } from "#base/frames/whole-body.ts";
import { openSseReader } from "#base/sse.ts";
import type { Framing } from "#formats/translation.ts";

const openers: Readonly<Record<Framing, () => FrameReader>> = {
  "aws-event-stream": openAwsEventReader,
  "json-lines": openLineReader,
  "meta-events": openMetaEventReader,
  sse: openSseReader,
  "whole-body": openWholeReader,
};

/** Opens a reader of the frames of one stream. */
export function openFrames(framing: Framing): FrameReader {
  return openers[framing]();
}
