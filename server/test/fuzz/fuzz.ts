/**
 * Makes hostile input from seeds: recorded samples that are cut, doubled, spliced and overwritten. The
 * seed of a failing input is printed, so that it can be run again and kept as a sample.
 */

import { test } from "bun:test";
import { type Random, seededRandom } from "#base/testing/random.ts";

const isLong = process.env["TOLLGATE_TEST_LONG"] === "1";

/** Number of inputs for each parser. */
const inputs = isLong ? 10_000_000 : 100_000;

/** Number of inputs in one test, small enough for its time limit. */
const inputsPerTest = 100_000;

const testMaxMs = 600_000;

/**
 * Defines the tests of one parser.
 * @param promise the name of the tests, which says what must hold for every input.
 * @param judge parses one random input and throws when the result is wrong.
 */
export function fuzz(promise: string, judge: (random: Random) => void): void {
  for (let first = 0; first < inputs; first += inputsPerTest) {
    test(
      inputs === inputsPerTest ? promise : `${promise} (from ${first})`,
      () => {
        for (let seed = first; seed < first + inputsPerTest; seed += 1) {
          try {
            judge(seededRandom(seed));
          } catch (error) {
            throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
          }
        }
      },
      testMaxMs,
    );
  }
}

/** Texts that often break parsers, to be put into samples. */
const pieces = [
  "",
  " ",
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  "\0",
  "\t",
  "\uFEFF",
  "\u2028",
  "é",
  "网",
  "😀",
  "\\u0000",
  "\\",
  '"',
  "'",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "{}",
  "[]",
  "null",
  "true",
  "false",
  "-",
  "+",
  ".",
  "e",
  "0",
  "-0",
  "1e999",
  "-1",
  "0.1",
  "1e-13",
  "9007199254740993",
  "9".repeat(40),
  "NaN",
  "Infinity",
  "data:",
  "event:",
  "id:",
  ":",
  "[DONE]",
  "__proto__",
  "constructor",
  "\\ud800",
  "𝟙",
  "1_000",
] as const;

/** Returns a random sample, with up to four random changes. */
export function mutate(random: Random, samples: readonly string[]): string {
  let text: string = random.pick(samples);
  for (let changes = random.between(0, 4); changes > 0; changes -= 1) {
    const from = random.between(0, text.length);
    const to = random.between(from, Math.min(text.length, from + 12));
    switch (random.between(0, 4)) {
      case 0:
        text = text.slice(0, from) + text.slice(to);
        break;
      case 1:
        text = text.slice(0, from) + random.pick(pieces) + text.slice(from);
        break;
      case 2:
        text = text.slice(0, from) + random.pick(pieces) + text.slice(to);
        break;
      case 3:
        text = text.slice(0, to) + text.slice(from);
        break;
      default: {
        const other = random.pick(samples);
        text = text.slice(0, from) + other.slice(random.between(0, other.length));
      }
    }
  }
  return text;
}
