import { expect, test } from "bun:test";
import { assembleStream } from "./assemble-stream.ts";

const streamOf = (...chunks: readonly object[]): Uint8Array =>
  Buffer.from(
    `: keep-alive\n\n${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")}data: [DONE]\n\n`,
  );
const piece = (delta: object, index = 0): object => ({ choices: [{ index, delta }] });

test("O-440: a stream of text alone reads as its text, also when it was cut off", () => {
  const stream = streamOf(piece({ role: "assistant" }), piece({ content: "你" }), {
    choices: [{ index: 0, delta: { content: "好" }, finish_reason: "stop" }],
  });

  expect(assembleStream(stream)).toBe("你好");
  expect(assembleStream(stream.subarray(0, stream.length - 16))).toBe("你好");
  expect(assembleStream(streamOf({ choices: [{ index: 0, text: "completion" }] }))).toBe(
    "completion",
  );
});

test("O-440: tool calls, reasoning, several choices and errors read as a whole answer", () => {
  const call = (part: object): object => piece({ tool_calls: [{ index: 0, ...part }] });
  const stream = streamOf(
    piece({ reasoning_content: "hm" }),
    call({ id: "c1", type: "function", function: { name: "weather", arguments: '{"ci' } }),
    call({ function: { arguments: 'ty":"Oslo"}' } }),
    piece({ content: "second" }, 1),
    { error: { message: "broken" } },
  );

  expect(JSON.parse(assembleStream(stream))).toEqual({
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          reasoning_content: "hm",
          content: "",
          tool_calls: [
            {
              id: "c1",
              type: "function",
              function: { name: "weather", arguments: '{"city":"Oslo"}' },
            },
          ],
        },
        finish_reason: null,
      },
      { index: 1, message: { role: "assistant", content: "second" }, finish_reason: null },
    ],
    error: { message: "broken" },
  });
});

test("what is no stream is kept as it is, as the JSON of an error", () => {
  expect(assembleStream(Buffer.from('{"error":{}}'))).toBe('{"error":{}}');
  expect(assembleStream(new Uint8Array())).toBe("");
});
