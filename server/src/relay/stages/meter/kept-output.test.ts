import { expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { tokensOf, weighText } from "./kept-output.ts";

function estimate(text: string): number {
  const bytes = Buffer.from(JSON.stringify(text).slice(1, -1));
  return tokensOf(weighText(bytes, 0, bytes.length));
}

const texts = {
  english: "The gateway relays calls to model providers, meters and charges them. ",
  german: "Künstliche Intelligenz ist ein Teilgebiet der Informatik und umfasst vieles. ",
  russian: "Искусственный интеллект выполняет творческие функции, присущие человеку. ",
  chinese: "人工智能是计算机科学的一个分支，它企图了解智能的实质。",
  korean: "인공지능은 인간의 학습능력, 추론능력, 지각능력을 구현하려는 분야이다. ",
  code: 'for (const [key, value] of Object.entries(second)) {\n  run(value).with("x");\n}\n',
  numbers: "3.14159265358979323846 2024-01-02 12,500.75\n",
  emoji: "🙂🎉🚀",
};

// If it is too low, a stream runs past what its user can pay; if it is far too high, the stream is
// cut early.
test("the estimate is above the count, but not far", () => {
  for (const [name, sample] of Object.entries(texts)) {
    const text = sample.repeat(9);
    const ratio = estimate(text) / countTokens(text);
    expect(ratio, name).toBeGreaterThan(0.95);
    expect(ratio, name).toBeLessThan(3);
  }
});

test("escaped text counts like the text it stands for", () => {
  const escaped = Buffer.from("\\u4f60\\u597d\\u4e16\\u754c");

  expect(tokensOf(weighText(escaped, 0, escaped.length))).toBe(estimate("你好世界"));
});
