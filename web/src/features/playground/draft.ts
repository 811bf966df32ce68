/** Keeps the unsent question, so that it survives a reload or a sign-in. */

const key = "playground-draft";

export function readDraft(): string {
  return sessionStorage.getItem(key) ?? "";
}

export function keepDraft(text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // The storage is full: the text is still on the screen.
  }
}
