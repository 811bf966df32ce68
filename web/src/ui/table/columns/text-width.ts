/** A guess at the pixels of a line of small text, for what cannot be measured yet. */

/** The widths of a Latin letter or digit, and of a Chinese character, at 13 px. */
const letterWidth = 7.2;
const ideographWidth = 13;

/** The first character of the scripts whose characters are square. */
const squareFrom = 0x2e80;

export function guessTextWidth(text: string): number {
  let width = 0;
  for (const letter of text) {
    width += (letter.codePointAt(0) ?? 0) >= squareFrom ? ideographWidth : letterWidth;
  }
  return Math.ceil(width);
}
