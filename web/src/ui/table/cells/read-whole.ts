/** Parses a whole number between `min` and `max`; null: the text is not such a number. */
export function readWhole(text: string, min?: number, max?: number): number | null {
  // Normalises the digits, because Chinese input methods produce full-width ones.
  const typed = text.normalize("NFKC").trim();
  if (!/^[+-]?\d+$/.test(typed)) return null;
  const number = Number(typed);
  if (!Number.isSafeInteger(number)) return null;
  if (min !== undefined && number < min) return null;
  return max !== undefined && number > max ? null : number;
}
