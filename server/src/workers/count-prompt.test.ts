import { expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { prose } from "#base/testing/prose.ts";
import { countPrompt } from "./count-prompt.ts";
import { formats } from "#formats/registry.ts";

const format = formats["openai-chat"].client;

function count(content: string): number {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content }] });
  return countPrompt(format, Buffer.from(body), countTokens);
}

// The price of a prompt must not jump where counting ends and estimating begins.
test("a prompt too long to count, or to parse, is estimated near its count", () => {
  for (const text of [prose.english, prose.chinese, prose.russian]) {
    for (const length of [1_000, 90_000, 400_000]) {
      const content = text.repeat(Math.ceil(length / text.length)).slice(0, length);
      const share = countTokens(text) / text.length;
      expect(count(content) / (share * length), `${length} of ${text.slice(0, 9)}`).toBeWithin(
        0.7,
        1.5,
      );
    }
  }
});

test("a body that is no JSON counts nothing but does not fail", () => {
  expect(countPrompt(format, Buffer.from("{"), countTokens)).toBe(0);
});
