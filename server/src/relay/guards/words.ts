/** Whether a prompt holds words root does not want sent to any upstream. */

import type { RequestFields } from "#formats/format.ts";
import { sensitiveWords } from "#relay/answers/refusals.ts";

const decoder = new TextDecoder();

export type WordSearch = {
  readonly findWord: (text: string) => boolean;
  readonly fields: RequestFields;
};

/**
 * @param bytes a body that was scanned, so that it is JSON and not nested too deep.
 * @throws CallRefusal 400. The word is not repeated: whoever wrote it knows it.
 */
export function checkWords(search: WordSearch, bytes: Uint8Array): void {
  if (holdsWord(search, JSON.parse(decoder.decode(bytes)))) throw sensitiveWords();
}

function holdsWord(search: WordSearch, value: unknown): boolean {
  if (typeof value === "string") return search.findWord(value);
  if (Array.isArray(value)) return value.some((item) => holdsWord(search, item));
  if (typeof value !== "object" || value === null) return false;
  const members: Readonly<Record<string, unknown>> = { ...value };
  return search.fields.texts.some((name) => holdsWord(search, members[name]));
}
