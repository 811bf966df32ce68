import { expect, test } from "bun:test";
import { formats } from "#formats/registry.ts";
import { meterAnswer } from "./answer-meter.ts";

const format = formats["openai-chat"].upstream;

function meter(body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return meterAnswer(Buffer.from(text), { format, readUsage: format.readUsage });
}

const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const choices = [
  { index: 0, message: { role: "assistant", content: "héllo", tool_calls: null } },
  { index: 1, message: { reasoning: "why", content: [{ type: "text", text: "!" }] } },
];

test("a good answer is billed by its usage", () => {
  const answer = meter({ id: "c", object: "chat.completion", choices, usage });

  expect(answer).toMatchObject({ fault: undefined, complete: true, contentBytes: 10 });
  expect(answer.usage).toMatchObject({ kind: "ok", usage: { input: 9, output: 4 } });
});

test("the output of an answer without usage can be counted", () => {
  const { text, textTruncated, outputTokens } = meter({ choices }).readOutput();

  expect({ text, textTruncated }).toEqual({ text: "héllowhy!", textTruncated: false });
  expect(outputTokens).toBeGreaterThanOrEqual(3);
  expect(meter({ choices }).usage).toEqual({ kind: "missing" });
});

test("embeddings have usage and no output", () => {
  const data = [{ object: "embedding", index: 0, embedding: [0.1, -2e-3] }];
  const answer = meter({ object: "list", data, model: "m", usage: { prompt_tokens: 3 } });

  expect(answer).toMatchObject({ fault: undefined, contentBytes: 0 });
  expect(answer.usage).toMatchObject({ kind: "ok", usage: { input: 3 } });
});

// Status 200 does not mean success: if every 200 were billed, users would pay for failures of
// upstreams.
test("a body that is not an answer is a fault", () => {
  const faults: [unknown, string, string][] = [
    ["", "answer-malformed", "the answer is empty"],
    [" \n", "answer-malformed", "the answer is empty"],
    ["<html><body>502</body></html>", "answer-malformed", "the answer is an HTML page"],
    ["null", "answer-malformed", "the answer is not JSON"],
    ["[]", "answer-malformed", "the answer is not JSON"],
    ["hello", "answer-malformed", "the answer is not JSON"],
    ['{"choices":[{"message":{"content":"cut o', "answer-malformed", "the answer is not JSON"],
    [{}, "answer-malformed", "the answer lacks the fields of its format"],
    [{ usage }, "answer-malformed", "the answer lacks the fields of its format"],
    [{ error: { message: "m", code: "c" } }, "c", "m"],
    [{ error: "m", choices: [] }, "", "m"],
    [{ object: "error", message: "m", code: 5 }, "5", "m"],
    [{ code: "c", message: "m" }, "c", "m"],
    [{ base_resp: { status_code: 1_008, status_msg: "m" }, choices: [] }, "1008", "m"],
    [[{ error: { message: "m", code: 503 } }], "503", "m"],
    [{ choices: [{ error: { message: "m", code: 502 } }] }, "502", "m"],
    [{ error: { message: "m".repeat(70_000) } }, "answer-malformed", "the answer reports an error"],
  ];
  for (const [body, code, message] of faults) {
    const answer = meter(body);
    expect(answer.fault, JSON.stringify(body)).toMatchObject({ code, message });
    expect(answer.complete).toBe(false);
  }
});

test("an empty error field beside an answer is not a fault", () => {
  const base = { base_resp: { status_code: 0, status_msg: "" } };
  for (const extra of [{ error: null }, { error: {} }, { error: "" }, { error: false }, base]) {
    expect(meter({ choices, usage, ...extra }).fault).toBeUndefined();
  }
});

test("an oversized usage object is not parsed", () => {
  const answer = meter({ choices, usage: { ...usage, pad: "x".repeat(70_000) } });

  expect(answer.usage).toEqual({ kind: "suspect", reason: "usage object too long" });
});
