/** Reads the text of typed or pasted channel keys line by line, in the same way as the server. */

export type KeysPreview = {
  /** The keys, each once, in the order in which they were typed. */
  readonly keys: readonly string[];
  /**
   * The repeated keys: the line of the repetition and that of the first occurrence, counted from 1.
   */
  readonly duplicates: readonly { readonly line: number; readonly first: number }[];
  /**
   * Whether the whole text is one JSON document, such as a service account, which counts as one
   * key.
   */
  readonly isDocument: boolean;
};

export function previewKeys(text: string): KeysPreview {
  const trimmed = text.trim();
  if (isDocument(trimmed)) return { keys: [trimmed], duplicates: [], isDocument: true };
  const firstLines = new Map<string, number>();
  const duplicates: { line: number; first: number }[] = [];
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    const key = row.trim();
    if (key === "") continue;
    const first = firstLines.get(key);
    if (first === undefined) firstLines.set(key, index + 1);
    else duplicates.push({ line: index + 1, first });
  }
  return { keys: [...firstLines.keys()], duplicates, isDocument: false };
}

function isDocument(text: string): boolean {
  if (!text.startsWith("{")) return false;
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/**
 * The shortest key whose first and last characters are shown; shorter ones are masked completely.
 */
const hintedMin = 16;

/** Masks a key in the form that lists use. */
export function maskKey(key: string): string {
  return key.length >= hintedMin ? `${key.slice(0, 4)}••••${key.slice(-4)}` : "••••";
}
