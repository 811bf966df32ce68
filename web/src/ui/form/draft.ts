/**
 * Drafts: what the user had typed into a form when the session ended. A 401 leads to the sign-in;
 * when the user comes back to the same address, the form restores its draft. Secrets are never
 * stored.
 */

import { storageKey } from "#page/base-path.ts";

const prefix = storageKey("form-draft:");

/** Milliseconds after which a draft is not restored any more. */
const draftAgeMaxMs = 60 * 60 * 1_000;

/**
 * The longest draft that is stored, in characters of JSON; session storage has room for about five
 * million.
 */
const draftLengthMax = 500_000;

export type Draft = Readonly<Record<string, unknown>>;

/** Reads the values of an open form, without secrets; null: the user has typed nothing. */
type ReadDraft = () => Draft | null;

const openForms = new Map<string, ReadDraft>();
let leaving = false;

/**
 * Registers an open form, so that its draft is stored when the session ends; returns the function
 * that unregisters it.
 */
export function openDraft(id: string, read: ReadDraft): () => void {
  leaving = false;
  openForms.set(id, read);
  return () => {
    if (openForms.get(id) === read) openForms.delete(id);
  };
}

/**
 * Stores the drafts of all open forms. Called when the session has ended, before the sign-in screen
 * opens.
 */
export function keepOpenDrafts(): void {
  leaving = true;
  for (const [id, read] of openForms) keepDraft(id, read());
}

/**
 * Whether the page is being left because the session has ended; then no form asks about unsaved
 * changes.
 */
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
    // Session storage may be full or forbidden. Then only the draft is lost.
  }
}

/** Returns the stored draft of a form and removes it; null: there is none. */
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

/** Removes all drafts. Called when a different user signs in. */
export function forgetDrafts(): void {
  const ids = Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
  for (const id of ids) sessionStorage.removeItem(id);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
