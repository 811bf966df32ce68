import { expect, test } from "bun:test";
import { freeBytes } from "#base/free-bytes.ts";
import { FrameError, frameBytesMax } from "./frame.ts";
import { openLineReader } from "./json-lines.ts";

test("lines are read however the bytes are cut, and the last needs no line feed", () => {
  const bytes = Buffer.from('{"a":"über"}\n\r\n{"b":2}\r\n{"c":3}');
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const reader = openLineReader();
    const frames = [];
    for (let at = 0; at < bytes.length; at += size) {
      frames.push(...reader.push(bytes.subarray(at, at + size)));
    }
    const lines = [...frames, ...reader.end()].map(({ data }) => data);
    expect(lines).toEqual(['{"a":"über"}', '{"b":2}', '{"c":3}']);
  }
});

test("a line without end does not fill the memory", () => {
  const reader = openLineReader();
  const chunk = new Uint8Array(frameBytesMax / 2 + 1).fill(0x78);
  reader.push(chunk);

  expect(() => reader.push(chunk)).toThrow(FrameError);
});

test("half a line is kept though the memory of its chunk is freed, also that of Node's buffers", () => {
  const text = `{"a":"${"x".repeat(2_000)}`;
  for (const isBuffer of [false, true]) {
    const reader = openLineReader();
    const bytes = new TextEncoder().encode(text);
    const chunk = isBuffer ? Buffer.from(bytes.buffer) : bytes;
    reader.push(chunk);
    freeBytes(chunk);

    expect(reader.push(Buffer.from('"}\n')).map(({ data }) => data)).toEqual([`${text}"}`]);
  }
});
