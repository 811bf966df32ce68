import { expect, test } from "bun:test";
import { type Frame, FrameError, frameBytesMax } from "./frames/frame.ts";
import { openSseCutter, openSseReader } from "./sse.ts";

const encoder = new TextEncoder();

function readFrames(text: string, size = text.length): Frame[] {
  const reader = openSseReader();
  const frames: Frame[] = [];
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at += size) {
    frames.push(...reader.push(bytes.slice(at, at + size)));
  }
  return [...frames, ...reader.end()];
}

test("all three line endings of the standard separate frames, wherever chunks end", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const lines = ["event: a", "data: 1é", "", "", "data:2", "data:  3", "", "data: 4", ""];
    const text = lines.join(end);
    for (const size of [1, 2, 3, 7, 64]) {
      expect(readFrames(text, size)).toEqual([
        { event: "a", data: "1é" },
        { event: "message", data: "2\n 3" },
        { event: "message", data: "4" },
      ]);
    }
  }
});

test("comments, empty frames, unknown fields and a byte order mark are ignored", () => {
  const text = "\ufeffdata: a\n\n: keep-alive\n\nid: 7\ndata\n\nevent: ping\n\ndatax: b\n\ndata: c";
  for (const size of [1, 2, 5, 64]) {
    expect(readFrames(text, size).map(({ data }) => data)).toEqual(["a", "", "c"]);
  }
});

// Without a limit, an upstream that never ends a frame would fill the server's memory.
test("an unfinished frame may not grow beyond the limit", () => {
  const reader = openSseReader();
  const chunk = new Uint8Array(frameBytesMax / 4).fill(0x78);
  for (let count = 0; count < 4; count += 1) reader.push(chunk);

  expect(() => reader.push(chunk)).toThrow(FrameError);
});

test("a cutter gives every byte exactly once, in whole events or in pieces of one too long", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const long = `data: ${"x".repeat(50)}${end}data: y${end}${end}`;
    const text = `: c${end}${end}data: 1${end}${end}${long}${end}data: 2${end}${end}data: 3`;
    for (const size of [1, 2, 3, 7, 64]) {
      const cutter = openSseCutter(20);
      const bytes = encoder.encode(text);
      let out = "";
      const events: string[] = [];
      const take = (next: () => string) => {
        for (let kind = next(); kind !== "none"; kind = next()) {
          const { start, end: to, data } = cutter.cut;
          const piece = new TextDecoder().decode(cutter.cut.bytes.subarray(start, to));
          out += piece;
          if (kind === "event" && data.length > 0) events.push(piece.trim());
        }
      };
      for (let at = 0; at < bytes.length; at += size) {
        cutter.feed(bytes.slice(at, at + size));
        take(cutter.next);
        cutter.keepRest();
      }
      take(cutter.finish);

      expect(out).toBe(text);
      expect(events).toContain("data: 1");
      expect(events.slice(-2)).toEqual(["data: 2", "data: 3"]);
    }
  }
});

test("an event that was put back is cut again, also after more was fed", () => {
  const cutter = openSseCutter(100);
  cutter.feed(encoder.encode("\ufeffdata: 1\r\n\r"));
  expect(cutter.next()).toBe("event");
  cutter.putBack();
  cutter.keepRest();
  cutter.feed(encoder.encode("\ndata: 2\n\n"));

  const payloads: string[] = [];
  while (cutter.next() === "event") {
    const [start, end] = cutter.cut.data;
    payloads.push(new TextDecoder().decode(cutter.cut.bytes.subarray(start, end)));
  }
  expect(payloads).toEqual(["1", "2"]);
});
