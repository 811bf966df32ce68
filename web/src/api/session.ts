/**
 * The user who is signed in with this browser. The session cookie is what authenticates; the copy
 * of the user kept in local storage only tells the console whom to greet and which screens to
 * offer.
 */

import { type ShortUser, shortUser } from "@tollgate/contract/endpoints/users.ts";
import { storageKey } from "#page/base-path.ts";
import { openStore } from "./store.ts";

/** Key in local storage; the name is fixed by the product's specification. */
const sessionKey = storageKey("user");

/**
 * Key in local storage: the id of the user whose session has expired, until somebody signs in or
 * out. It is in local storage, so that a reload and the other tabs know that the session expired.
 */
const expiredKey = storageKey("session-expired");

export const sessionStore = openStore<ShortUser | null>(readStored());

const expiryListeners = new Set<() => void>();

export function readSession(): ShortUser | null {
  return sessionStore.read();
}

/** Stores the signed-in user; null removes the stored user, after a sign-out. */
export function keepSession(user: ShortUser | null): void {
  localStorage.removeItem(expiredKey);
  if (user === null) localStorage.removeItem(sessionKey);
  else localStorage.setItem(sessionKey, JSON.stringify(user));
  sessionStore.write(user);
}

/**
 * Returns the id of the user whose session has expired in this browser; null: it has not, or
 * somebody has signed in or out since.
 */
export function readExpiredUserId(): number | null {
  const stored = localStorage.getItem(expiredKey);
  return stored === null ? null : Number(stored);
}

/**
 * Notifies the listeners that the session has ended, then removes the stored user and stores that
 * the session expired. Runs when the server answers 401. Listeners can still read who was signed
 * in.
 *
 * @param sentIn what `readSession` returned when the call was sent. If the user has signed in since,
 *   the answer is about the session before, and the new one stays.
 */
export function expireSession(sentIn: ShortUser | null): void {
  if (sentIn === null || sentIn !== readSession()) return;
  for (const listener of expiryListeners) listener();
  // The mark is stored first, so that no tab finds the user gone and the reason missing.
  localStorage.setItem(expiredKey, String(sentIn.id));
  localStorage.removeItem(sessionKey);
  sessionStore.write(null);
}

/** Calls `listener` when a session expires, in this tab or in another. Returns the function that removes it. */
export function onSessionExpired(listener: () => void): () => void {
  expiryListeners.add(listener);
  return () => expiryListeners.delete(listener);
}

/** Takes over sign-ins and sign-outs of other tabs, which share this browser's session cookie. */
export function followOtherTabs(): void {
  window.addEventListener("storage", ({ key }) => {
    if (key !== sessionKey && key !== null) return;
    const before = readSession();
    const now = readStored();
    if (now === null && before !== null && before.id === readExpiredUserId()) {
      for (const listener of expiryListeners) listener();
    }
    sessionStore.write(now);
  });
}

/**
 * Calls `listener` when a user signs in in another tab. Returns the function that removes it. The
 * event `storage` does not occur in the tab that stored the session.
 */
export function onSignInElsewhere(listener: (user: ShortUser) => void): () => void {
  const look = ({ key }: StorageEvent): void => {
    const user = key === sessionKey ? readStored() : null;
    if (user !== null) listener(user);
  };
  window.addEventListener("storage", look);
  return () => window.removeEventListener("storage", look);
}

function readStored(): ShortUser | null {
  if (typeof localStorage === "undefined") return null;
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(sessionKey) ?? "null");
    return shortUser.safeParse(stored).data ?? null;
  } catch {
    return null;
  }
}
