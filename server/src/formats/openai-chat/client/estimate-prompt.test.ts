import { expect, test } from "bun:test";
import { estimatePrompt } from "./estimate-prompt.ts";

function estimate(content: unknown): number {
  return estimatePrompt(
    Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content }] })),
  );
}

const base64 = Buffer.from(new Uint8Array(75_000).map((_, at) => (at * 7919) % 251)).toString(
  "base64",
);
const image = { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } };

// If text without blanks were taken for an image, a client could have it read without paying for
// it.
test("text without a break weighs like text, whatever it looks like", () => {
  expect(estimate("x".repeat(100_000))).toBeGreaterThan(10_000);
  expect(estimate(base64)).toBeGreaterThan(40_000);
  expect(estimate([{ type: "text", text: base64 }])).toBeGreaterThan(40_000);
});

test("an image costs what an image costs, not what its base64 would as text", () => {
  const words = "How many cats are there? ";
  expect(estimate([{ type: "text", text: words }, image])).toBeWithin(765, 900);
  expect(estimate([image, image, { type: "text", text: words }])).toBeWithin(1_530, 1_700);
});

test("a body without messages is weighed as plain text", () => {
  for (const body of ["", "{", "[]", '{"messages":7}', '{"input":"one two three"}']) {
    expect(estimatePrompt(Buffer.from(body))).toBeGreaterThanOrEqual(0);
  }
});
