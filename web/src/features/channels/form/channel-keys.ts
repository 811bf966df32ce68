/** Keys as they are typed or pasted: what each line becomes. The server reads them the same way. */

export type KeysPreview = {
  /** The keys without repetitions, in the order they were typed. */
  readonly keys: readonly string[];
  /** Lines, from 1, that repeat an earlier one. */
  readonly duplicates: readonly { readonly line: number; readonly first: number }[];
  /** One JSON document of several lines, such as a service account: one key. */
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

/** Least length of a key of which both ends are shown. */
const hintedMin = 16;

/** A key as lists show it. */
export function maskKey(key: string): string {
  return key.length >= hintedMin ? `${key.slice(0, 4)}••••${key.slice(-4)}` : "••••";
}
