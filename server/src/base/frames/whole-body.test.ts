import { expect, test } from "bun:test";
import { FrameError, frameBytesMax } from "./frame.ts";
import { openWholeReader } from "./whole-body.ts";

const value = '{"a": {"b": "über}"},\n "c": 1}';

test("a body is given out once, however its bytes are cut, when it is complete", () => {
  const bytes = Buffer.from(`${value}\r\n`);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const reader = openWholeReader();
    const frames = [];
    for (let at = 0; at < bytes.length; at += size) {
      frames.push(...reader.push(bytes.subarray(at, at + size)));
    }
    expect(frames.map(({ data }) => data)).toEqual([value]);
    expect(reader.end()).toEqual([]);
  }
});

test("a body that breaks off is given out at its end, and none fills the memory", () => {
  const reader = openWholeReader();
  expect(reader.push(Buffer.from('{"a":'))).toEqual([]);
  expect(reader.end().map(({ data }) => data)).toEqual(['{"a":']);

  const chunk = new Uint8Array(frameBytesMax / 2 + 1).fill(0x78);
  reader.push(chunk);
  expect(() => reader.push(chunk)).toThrow(FrameError);
});
