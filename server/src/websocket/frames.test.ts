import { expect, test } from "bun:test";
import { HeldBytes, openByteBudget } from "#base/memory/byte-budget.ts";
import { closePayload, feedFrames, newFrameReader, opcodes, writeFrame } from "./frames.ts";

/** Reads frames as a server does, cut into pieces; returns what they say. */
function read(bytes: Buffer, step = bytes.length, messageBytesMax = 1_000): string[] {
  const held = new HeldBytes({ budget: openByteBudget(1_000_000), owner: 1 });
  const reader = newFrameReader(true, messageBytesMax, held);
  const said: string[] = [];
  const taker = {
    message: (given: Buffer, isText: boolean) =>
      void said.push(`${isText ? "t" : "b"}:${given.toString()}`),
    ping: (given: Buffer) => void said.push(`ping:${given.toString()}`),
    pong: () => void said.push("pong"),
    closes: (code: number, reason: string) => void said.push(`close:${code} ${reason}`),
    broken: (code: number) => void said.push(`broken:${code}`),
  };
  for (let at = 0; at < bytes.length; at += Math.max(1, step)) {
    feedFrames(reader, Buffer.from(bytes.subarray(at, at + Math.max(1, step))), taker, () => true);
  }
  return said;
}

/** A masked frame with these bits in front, whatever they mean. */
function frame(first: number, payload: Buffer | string = ""): Buffer {
  const bytes = writeFrame(first & 0x0f, Buffer.from(payload), true);
  bytes[0] = first;
  return bytes;
}

const final = 0x80;
const text = final | opcodes.text;

test("messages, pieces of messages and control frames between them are read, however they are cut", () => {
  const bytes = Buffer.concat([
    frame(text, "one"),
    frame(opcodes.binary, "tw"),
    frame(final | opcodes.ping, "?"),
    frame(opcodes.continuation, ""),
    frame(final | opcodes.continuation, "o"),
    frame(final | opcodes.pong),
    frame(text, ""),
    frame(text, "x".repeat(300)),
    frame(final | opcodes.close, closePayload(1_000, "bye")),
    frame(text, "too late"),
  ]);
  const said = ["t:one", "ping:?", "b:two", "pong", "t:", `t:${"x".repeat(300)}`, "close:1000 bye"];
  for (const step of [bytes.length, 1, 2, 3, 7, 50]) {
    expect([step, read(bytes, step)]).toEqual([step, said]);
  }
});

test("what breaks the protocol ends reading with the right code", () => {
  const close = (payload: Buffer) => frame(final | opcodes.close, payload);
  const unmasked = writeFrame(opcodes.text, Buffer.from("a"), false);
  const huge = Buffer.from([text, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
  for (const [name, bytes, code] of [
    ["a reserved bit", frame(text | 0x40, "a"), 1002],
    ["a reserved opcode", frame(final | 3, "a"), 1002],
    ["a reserved control opcode", frame(final | 11, "a"), 1002],
    ["a frame without a mask", unmasked, 1002],
    ["a ping in pieces", frame(opcodes.ping, "a"), 1002],
    ["a long ping", frame(final | opcodes.ping, "a".repeat(126)), 1002],
    ["a piece of nothing", frame(final | opcodes.continuation, "a"), 1002],
    ["a message in a message", Buffer.concat([frame(opcodes.text, "a"), frame(text, "b")]), 1002],
    ["text that is no UTF-8", frame(text, Buffer.from([0xc0, 0xaf])), 1007],
    ["a reason that is no UTF-8", close(Buffer.from([3, 232, 0xff])), 1007],
    ["half a close code", close(Buffer.of(3)), 1002],
    ["a close code that is never sent", close(closePayload(1_006, "")), 1002],
    ["an unknown close code", close(closePayload(2_000, "")), 1002],
    ["a long message", frame(text, "a".repeat(1_001)), 1009],
    [
      "a message that is long in pieces",
      Buffer.concat([frame(opcodes.text, "a".repeat(600)), frame(final, "a".repeat(600))]),
      1009,
    ],
    ["a length beyond all numbers", huge, 1009],
  ] as const) {
    for (const step of [bytes.length, 1]) {
      expect([name, read(bytes, step).at(-1)]).toEqual([name, `broken:${code}`]);
    }
  }
});

test("a close without a code, and a reason that is cut between characters", () => {
  expect(read(frame(final | opcodes.close))).toEqual(["close:1005 "]);
  const payload = closePayload(1_000, "网".repeat(100));
  expect(payload.length).toBe(125 - ((125 - 2) % 3));
  expect(payload.subarray(2).toString()).toBe("网".repeat(41));
});
