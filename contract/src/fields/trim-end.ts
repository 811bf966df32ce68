/**
 * Removes a character from the end of a text, however often it stands there. `/x+$/` would begin to
 * search at each of them, in time that grows with the square of their number.
 */
export function trimEndOf(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
