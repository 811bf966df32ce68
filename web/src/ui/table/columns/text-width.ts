/**
 * Estimates the width in pixels of a line of small text that cannot be measured because it is not
 * drawn yet.
 */

/**
 * The widths of a Latin letter or digit and of a Chinese character, in pixels, at a font size of 13
 * px.
 */
const letterWidth = 7.2;
const ideographWidth = 13;

/** From this character code on, characters count as square, like the Chinese ones. */
const squareFrom = 0x2e80;

export function guessTextWidth(text: string): number {
  let width = 0;
  for (const letter of text) {
    width += (letter.codePointAt(0) ?? 0) >= squareFrom ? ideographWidth : letterWidth;
  }
  return Math.ceil(width);
}
