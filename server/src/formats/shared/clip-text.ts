/** Cuts a text to `bytesMax` bytes of UTF-8, between characters. */
export function clipText(text: string, bytesMax: number): string {
  // In UTF-8 a UTF-16 unit takes at most three bytes, so a text that fits even then is not
  // measured.
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text;
  let bytes = 0;
  let cut = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax) break;
    cut += character;
  }
  return cut;
}
