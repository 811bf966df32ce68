import { expect, test } from "bun:test";
import { stringEnd } from "./json-cursor.ts";
import { type Random, seededRandom } from "./testing/random.ts";

const encoder = new TextEncoder();

/** Writes a text in which quotes and backslashes are dense, or dense in some places and rare in others. */
function writeText(random: Random): string {
  const gaps = random.chance(0.5) ? [0, 1] : [0, 1, 5, 60, 3_000, 9_000];
  const length = random.below(60_000);
  let text = "";
  while (text.length < length) {
    text += "x".repeat(random.pick(gaps)) + random.pick(['"', "\\", '\\"', '"\\', "\\\\", "é"]);
  }
  return text;
}

// A wrong end would let a client hide fields from the gateway that the upstream reads.
test("a string ends at its own quote, however many escaped ones and backslashes are in it", () => {
  const random = seededRandom(1);
  for (let round = 0; round < 400; round += 1) {
    const text = writeText(random);
    const whole = encoder.encode(`"""${JSON.stringify(text)} , "next":"`);
    const bytes = whole.subarray(round % 4);
    const start = 4 - (round % 4);
    const end = start + encoder.encode(JSON.stringify(text)).length - 2;

    expect(stringEnd(bytes, start, bytes.length), `round ${round}`).toBe(end);
    // The bytes end inside of the string: its quote stands behind them.
    expect(stringEnd(bytes, start, end), `round ${round}, cut`).toBe(-1);
  }
});
