/**
 * What people had typed when their session ended. A 401 sends the browser to sign in; back at the
 * same address the form takes its draft up again. Secrets are never kept.
 */

const prefix = "form-draft:";

/** A draft older than this is not offered any more. */
const draftAgeMaxMs = 60 * 60 * 1_000;

/** Longest draft kept, in characters of JSON; session storage holds about five million. */
const draftLengthMax = 500_000;

export type Draft = Readonly<Record<string, unknown>>;

/** Reads what is worth keeping of an open form; null: nothing was typed. */
type ReadDraft = () => Draft | null;

const openForms = new Map<string, ReadDraft>();
let leaving = false;

/** Registers an open form; the answer takes it out again. */
export function openDraft(id: string, read: ReadDraft): () => void {
  leaving = false;
  openForms.set(id, read);
  return () => {
    if (openForms.get(id) === read) openForms.delete(id);
  };
}

/** Called when the session ended, before the browser goes to sign in. */
export function keepOpenDrafts(): void {
  leaving = true;
  for (const [id, read] of openForms) keepDraft(id, read());
}

/** True: the page is being left for sign-in, so nobody is to be asked about unsaved changes. */
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
    // A full or forbidden storage costs the draft, nothing else.
  }
}

/** The draft of a form, once: it is removed as it is read. */
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

/** For when somebody else signs in. */
export function forgetDrafts(): void {
  const ids = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
  for (const id of ids) sessionStorage.removeItem(id);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
