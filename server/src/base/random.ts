import { randomFillSync, randomInt } from "node:crypto";
import { randomText } from "./secrets.ts";

/**
 * Makes random texts that nobody can guess. Passed as a parameter everywhere, so that tests can
 * choose the texts.
 */
export type Random = {
  /** Makes a text of letters and digits, 5.95 random bits each. */
  text(length: number): string;
  /** Makes a text of decimal digits, at most 14. */
  digits(length: number): string;
};

/** The random generator of the operating system. */
export const systemRandom: Random = {
  text: randomText,
  digits: (length) => String(randomInt(10 ** length)).padStart(length, "0"),
};

const saltBytes = 16;

/** Random bytes are taken from the system by the page, because a salt is made for each call. */
const page = Buffer.alloc(saltBytes * 256);
let used = page.length;

/** Returns 32 hex digits that nobody can guess, and that were never returned before. */
export function newSalt(): string {
  if (used === page.length) {
    randomFillSync(page);
    used = 0;
  }
  used += saltBytes;
  return page.toString("hex", used - saltBytes, used);
}
