/** Refuses prompts that contain words forbidden by the administrator. */

import type { RequestFields } from "#formats/format.ts";
import { sensitiveWords } from "#relay/call/refusals.ts";

const decoder = new TextDecoder();

type WordSearch = {
  readonly findWord: (text: string) => boolean;
  readonly fields: RequestFields;
};

/**
 * Searches a request's text for forbidden words.
 *
 * @param bytes a body that `readRequest` accepted, so it is JSON and not nested too deeply.
 * @throws CallRefusal 400, without quoting the word.
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
