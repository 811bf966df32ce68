import { expect, spyOn, test } from "bun:test";
import { FrameError, frameBytesMax } from "./frame.ts";
import { openMetaEventReader } from "./meta-events.ts";

test("data and meta of each event are read, however the bytes are cut", () => {
  const text =
    "event: add\nid: 1\ndata:  ü\ndata: b\n\nevent:add\r\ndata:c\r\n\r\n" +
    'event: finish\ndata:\nmeta: {"usage":1}\n';
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const reader = openMetaEventReader();
    const frames = [];
    for (let at = 0; at < bytes.length; at += size) {
      frames.push(...reader.push(bytes.subarray(at, at + size)));
    }
    const read = [...frames, ...reader.end()].map(({ event, data }) => [event, JSON.parse(data)]);
    expect(read).toEqual([
      ["add", { data: " ü\nb", meta: "" }],
      ["add", { data: "c", meta: "" }],
      ["finish", { data: "", meta: '{"usage":1}' }],
    ]);
  }
});

test("a text that begins with a space keeps it where the server writes none of its own", () => {
  const reader = openMetaEventReader();
  const frames = reader.push(Buffer.from("event:add\nid:1\ndata: is\n\nevent: add\ndata:  is\n\n"));

  expect(frames.map(({ data }) => JSON.parse(data).data)).toEqual([" is", " is"]);
});

test("an event without end does not fill the memory", () => {
  const reader = openMetaEventReader();
  const chunk = new Uint8Array(frameBytesMax / 2 + 1).fill(0x78);
  reader.push(chunk);

  expect(() => reader.push(chunk)).toThrow(FrameError);
});

test("a long line in many small chunks is not copied again for each chunk", () => {
  const reader = openMetaEventReader();
  const bytes = Buffer.from(`event:add\ndata:${"x".repeat(100_000)}\n\n`);
  const frames = [];
  using concat = spyOn(Buffer, "concat");
  for (let at = 0; at < bytes.length; at += 100) {
    frames.push(...reader.push(bytes.subarray(at, at + 100)));
  }
  const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);

  expect(frames).toHaveLength(1);
  expect(copied).toBeLessThan(2 * bytes.length);
});
