/**
 * Drafts of forms whose session ended. A 401 leads to the sign-in; back at the same address the
 * form restores its draft. Secrets are never kept.
 */

const prefix = "form-draft:";

/** An older draft is not restored. */
const draftAgeMaxMs = 60 * 60 * 1_000;

/** The longest draft kept, in characters of JSON; session storage holds about five million. */
const draftLengthMax = 500_000;

export type Draft = Readonly<Record<string, unknown>>;

/** Reads the values worth keeping of an open form; null: nothing was typed. */
type ReadDraft = () => Draft | null;

const openForms = new Map<string, ReadDraft>();
let leaving = false;

/** Registers an open form; returns the function that removes it. */
export function openDraft(id: string, read: ReadDraft): () => void {
  leaving = false;
  openForms.set(id, read);
  return () => {
    if (openForms.get(id) === read) openForms.delete(id);
  };
}

/** Called when the session ends, before the browser goes to the sign-in. */
export function keepOpenDrafts(): void {
  leaving = true;
  for (const [id, read] of openForms) keepDraft(id, read());
}

/** True: the page is left for the sign-in, so no form may ask about unsaved changes. */
export function isLeavingToSignIn(): boolean {
  return leaving;
}

export function keepDraft(id: string, draft: Draft | null): void {
  if (draft === null) return;
  const text = JSON.stringify({ at: Date.now(), draft });
  if (text.length > draftLengthMax) return;
  try {
    sessionStorage.setItem(prefix + id, text);
  } catch {
    // A full or forbidden storage costs only the draft.
  }
}

/** The draft of a form; it is removed when it is read. */
export function takeDraft(id: string): Draft | null {
  const text = sessionStorage.getItem(prefix + id);
  if (text === null) return null;
  sessionStorage.removeItem(prefix + id);
  try {
    const kept: unknown = JSON.parse(text);
    if (!isRecord(kept) || !isRecord(kept["draft"])) return null;
    return Date.now() - Number(kept["at"]) < draftAgeMaxMs ? kept["draft"] : null;
  } catch {
    return null;
  }
}

/** Removes all drafts when another user signs in. */
export function forgetDrafts(): void {
  const ids = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
  for (const id of ids) sessionStorage.removeItem(id);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
