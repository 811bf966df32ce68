import { describe, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { prose, rareProse } from "./testing/prose.ts";
import { tokensOf, weighText } from "./text-weight.ts";

function estimate(jsonText: string): number {
  const bytes = Buffer.from(jsonText);
  return tokensOf(weighText(bytes, 0, bytes.length));
}

/**
 * Returns the text as it is inside a JSON string, characters of other scripts unchanged. `escaped`
 * writes these as `\uXXXX`.
 */
const raw = (text: string): string => JSON.stringify(text).slice(1, -1);
const escaped = (text: string): string =>
  raw(text).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Opens a random generator with a seed, so that each run tests the same numbers. */
function openRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = openRandom(13);
const noise = Uint8Array.from({ length: 6_000 }, () => Math.floor(random() * 256));

const samples: Readonly<Record<string, string>> = {
  ...prose,
  code: 'for (const [key, value] of Object.entries(second)) {\n  run(value).with("x", key + 1);\n}\n',
  python: "def main(args):\n    for i in range(len(args)):\n        print(f'{i}: {args[i]!r}')\n",
  base64: Buffer.from(noise).toString("base64"),
  hexadecimal: Buffer.from(noise).toString("hex"),
  json: JSON.stringify({ id: 17, name: "first", tags: ["a", "b_c"], price: 12.5, ok: true }),
  numbers: "3.14159265358979323846 2024-01-02 12,500.75\n",
};

// If the estimate is too low, a long prompt is partly free; if it is too high, a user pays for
// tokens that do not exist.
test("the estimate of any part of a natural text is 0.7 to 1.5 times its count", () => {
  for (const [name, sample] of Object.entries(samples)) {
    const characters = [...sample.repeat(Math.ceil(4_000 / sample.length))];
    for (let turn = 0; turn < 20; turn += 1) {
      const length = 200 + Math.floor(random() * 1_500);
      const start = Math.floor(random() * (characters.length - length));
      const text = characters.slice(start, start + length).join("");
      const ratio = estimate(raw(text)) / countTokens(text);
      expect(ratio, `${name}: ${text.slice(0, 40)}`).toBeWithin(0.7, 1.5);
    }
  }
});

test("a mixture of scripts, code and data is estimated as well as each alone", () => {
  const all = Object.values(samples);
  for (let turn = 0; turn < 50; turn += 1) {
    const parts = Array.from({ length: 8 }, () => {
      const characters = [...(all[Math.floor(random() * all.length)] ?? "")];
      const start = Math.floor(random() * characters.length);
      return characters.slice(start, start + 200).join("");
    });
    const text = parts.join(" ");
    expect(estimate(raw(text)) / countTokens(text), text.slice(0, 40)).toBeWithin(0.7, 1.5);
  }
});

// The encoding knows these scripts badly, so a character costs up to three tokens. Weighed like
// dashes, such texts cost a third or less.
test("texts in scripts that few write are estimated, too", () => {
  for (const [name, sample] of Object.entries(rareProse)) {
    const text = sample.repeat(5);
    expect(estimate(raw(text)) / countTokens(text), name).toBeWithin(0.6, 1.5);
    expect(estimate(escaped(text)), name).toBe(estimate(raw(text)));
  }
});

// Python's json and other writers escape every character that is not ASCII. The same prompt has to
// cost the same.
test("escaped text weighs what the same text weighs unescaped", () => {
  for (const [name, sample] of Object.entries({ ...samples, emoji: "ok 🙂🎉 你好 🚀" })) {
    expect(estimate(escaped(sample)), name).toBe(estimate(raw(sample)));
  }
});

describe("text without a break", () => {
  test("is not free", () => {
    for (const [name, unit] of Object.entries({ letters: "x", signs: "=", blanks: " " })) {
      expect(estimate(raw(unit.repeat(100_000))), name).toBeGreaterThan(5_000);
    }
    expect(estimate(raw(samples["base64"] ?? "")) / (samples["base64"] ?? "").length).toBeWithin(
      0.4,
      1.2,
    );
  });
});

test("an escape that breaks off is weighed and read no further than the text goes", () => {
  for (const broken of ["\\", "\\u", "\\u4f", "\\u4f6", "\\uzzzz"]) {
    expect(estimate(broken)).toBeGreaterThan(0);
  }
});
