/** Keeps a question that is not sent yet, so that a reload or a sign-in does not lose it. */

import { storageKey } from "#page/base-path.ts";

const key = storageKey("playground-draft");

export function readDraft(): string {
  return sessionStorage.getItem(key) ?? "";
}

export function keepDraft(text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // The browser's storage is full. Nothing is lost, as the text is still in the input.
  }
}
