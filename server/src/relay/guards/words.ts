/** Whether a prompt holds words root does not want sent to any upstream. */

import { sensitiveWords } from "#relay/answers/refusals.ts";

/** Where a request of any format has text for the model; other text are names, ids and media. */
const textFields = [
  "content",
  "contents",
  "input",
  "instructions",
  "messages",
  "parts",
  "prompt",
  "suffix",
  "system",
  "systemInstruction",
  "system_instruction",
  "text",
] as const;

const decoder = new TextDecoder();

/**
 * @param bytes a body that was scanned, so that it is JSON and not nested too deep.
 * @throws CallRefusal 400. The word is not repeated: whoever wrote it knows it.
 */
export function checkWords(findWord: (text: string) => boolean, bytes: Uint8Array): void {
  if (holdsWord(findWord, JSON.parse(decoder.decode(bytes)))) throw sensitiveWords();
}

function holdsWord(findWord: (text: string) => boolean, value: unknown): boolean {
  if (typeof value === "string") return findWord(value);
  if (Array.isArray(value)) return value.some((item) => holdsWord(findWord, item));
  if (typeof value !== "object" || value === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  return textFields.some((name) => holdsWord(findWord, fields[name]));
}
