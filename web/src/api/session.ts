/**
 * The user who is signed in with this browser. The session cookie is what authenticates; the copy
 * of the user kept in local storage only tells the console whom to greet and which screens to
 * offer.
 */

import { type ShortUser, shortUser } from "@tollgate/contract/users.ts";
import { openStore } from "./store.ts";

/** Key in local storage; the name is fixed by the product's specification. */
const sessionKey = "user";

export const sessionStore = openStore<ShortUser | null>(readStored());

const expiryListeners = new Set<() => void>();

export function readSession(): ShortUser | null {
  return sessionStore.read();
}

/** Stores the signed-in user; null removes the stored user, after a sign-out. */
export function keepSession(user: ShortUser | null): void {
  if (user === null) localStorage.removeItem(sessionKey);
  else localStorage.setItem(sessionKey, JSON.stringify(user));
  sessionStore.write(user);
}

/**
 * Notifies the listeners that the session has ended, then removes the stored user. Runs when the
 * server answers 401. Listeners can still read who was signed in.
 *
 * @param sentIn what `readSession` returned when the call was sent. If the user has signed in since,
 *   the answer is about the session before, and the new one stays.
 */
export function expireSession(sentIn: ShortUser | null): void {
  if (sentIn === null || sentIn !== readSession()) return;
  for (const listener of expiryListeners) listener();
  keepSession(null);
}

/** Calls `listener` at every 401. Returns the function that removes it. */
export function onSessionExpired(listener: () => void): () => void {
  expiryListeners.add(listener);
  return () => expiryListeners.delete(listener);
}

/** Takes over sign-ins and sign-outs of other tabs, which share this browser's session cookie. */
export function followOtherTabs(): void {
  window.addEventListener("storage", ({ key }) => {
    if (key === sessionKey || key === null) sessionStore.write(readStored());
  });
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
