/** The question being written, so that a reload or a sign-in in between does not cost it. */

const key = "playground-draft";

export function readDraft(): string {
  return sessionStorage.getItem(key) ?? "";
}

export function keepDraft(text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // No room: the text is on the screen still.
  }
}
