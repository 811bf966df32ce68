import { expect, test } from "bun:test";
import { openAwsEventReader } from "./aws-event-stream.ts";
import { FrameError } from "./frame.ts";
import { amazonFrame } from "#base/frames/testing/amazon-frame.ts";

const event = (name: string, payload: string) =>
  amazonFrame({ ":message-type": "event", ":event-type": name }, payload);

test("frames are read however the bytes are cut, with exceptions and errors under their names", () => {
  const bytes = Buffer.concat([
    event("contentBlockDelta", '{"text":"über"}'),
    amazonFrame(
      { ":message-type": "exception", ":exception-type": "throttlingException" },
      '{"message":"slow down"}',
    ),
    amazonFrame({ ":message-type": "error", ":error-code": "500", ":error-message": "gone" }, ""),
  ]);
  for (const size of [1, 2, 3, 7, 37, bytes.length]) {
    const reader = openAwsEventReader();
    const frames = [];
    for (let at = 0; at < bytes.length; at += size) {
      frames.push(...reader.push(bytes.subarray(at, at + size)));
    }
    expect([...frames, ...reader.end()]).toEqual([
      { event: "contentBlockDelta", data: '{"text":"über"}' },
      { event: "throttlingException", data: '{"message":"slow down"}' },
      { event: "error", data: '{"code":"500","message":"gone"}' },
    ]);
  }
});

test("a bit that flipped on the way is noticed, in the lengths and in the rest", () => {
  for (const at of [2, 6, 20, 40]) {
    const bytes = Buffer.from(event("chunk", '{"bytes":"aGk="}'));
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(() => openAwsEventReader().push(bytes), String(at)).toThrow(FrameError);
  }
});

test("a frame that claims gigabytes is refused before they are waited for", () => {
  const huge = Buffer.from(event("chunk", "{}"));
  huge.writeUInt32BE(0x7fff_ffff, 0);
  huge.writeUInt32BE(Bun.hash.crc32(huge.subarray(0, 8)), 8);

  expect(() => openAwsEventReader().push(huge.subarray(0, 12))).toThrow("2147483647 bytes");
});

test("a stream that ends inside a frame is not taken for a whole one", () => {
  const reader = openAwsEventReader();
  reader.push(event("chunk", "{}").subarray(0, 20));

  expect(() => reader.end()).toThrow(FrameError);
});

test("headers that exceed their frame are refused", () => {
  const bytes = Buffer.from(event("chunk", ""));
  // The length of the first header's name, which is behind the prelude.
  bytes[12] = 200;
  const body = bytes.subarray(0, bytes.length - 4);
  bytes.writeUInt32BE(Bun.hash.crc32(body), bytes.length - 4);

  expect(() => openAwsEventReader().push(bytes)).toThrow(FrameError);
});
