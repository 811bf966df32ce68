import { expect } from "bun:test";
import type { Frame } from "#base/frames/frame.ts";
import { openSseReader } from "#base/sse.ts";
import { fuzz, mutate } from "./fuzz.ts";

const samples = [
  'data: {"a":1}\n\ndata: [DONE]\n\n',
  ": comment\n\nevent: ping\ndata:\n\n",
  "event: delta\r\ndata: one\r\ndata: two\r\n\r\n",
  "data: 网关\rdata:  two spaces\r\r",
  "\uFEFFid: 7\nretry: 10\ndata\n\nevent\ndata:x\n\n",
  "data: no end",
];

const encoder = new TextEncoder();

fuzz("a stream means the same however its bytes arrive, and what the standard says", (random) => {
  const text = mutate(random, samples) + mutate(random, samples);
  const bytes = encoder.encode(text);
  const reader = openSseReader();
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(at + random.between(1, 40), bytes.length);
    // The chunk is a copy that is overwritten afterwards, like the memory of a socket: the reader
    // must not use a chunk after `push` has returned.
    const chunk = bytes.slice(at, end);
    frames.push(...reader.push(chunk));
    chunk.fill(0x78);
    at = end;
  }
  frames.push(...reader.end());
  expect(frames).toEqual(framesOf(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)));
});

/**
 * Reads the frames of a whole text by the standard's algorithm, against which the incremental
 * reader is compared. An unfinished last event counts.
 */
function framesOf(text: string): Frame[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  const frames: Frame[] = [];
  let event = "";
  let data: string[] = [];
  const dispatch = (): void => {
    if (data.length > 0) {
      frames.push({ event: event === "" ? "message" : event, data: data.join("\n") });
    }
    event = "";
    data = [];
  };
  for (const line of lines) {
    if (line === "") {
      dispatch();
      continue;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    if (name === "event") event = value;
  }
  dispatch();
  return frames;
}
