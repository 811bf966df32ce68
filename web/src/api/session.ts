/**
 * Who is signed in with this browser. The cookie is the proof; what is kept here under the
 * specification's key `user` only says whom to greet and which screens to offer.
 */

import { type ShortUser, shortUser } from "@tollgate/contract/users.ts";
import { openStore } from "./store.ts";

/** Local storage's name for the signed-in user; the specification's. */
const sessionKey = "user";

export const sessionStore = openStore<ShortUser | null>(readStored());

const expiryListeners = new Set<() => void>();

export function readSession(): ShortUser | null {
  return sessionStore.read();
}

/** Called after sign-in, and with null after sign-out. */
export function keepSession(user: ShortUser | null): void {
  if (user === null) localStorage.removeItem(sessionKey);
  else localStorage.setItem(sessionKey, JSON.stringify(user));
  sessionStore.write(user);
}

/** The server has answered 401: listeners may still read who was signed in, then nobody is. */
export function expireSession(): void {
  for (const listener of expiryListeners) listener();
  keepSession(null);
}

/** Calls back at every 401; returns what ends that. */
export function onSessionExpired(listener: () => void): () => void {
  expiryListeners.add(listener);
  return () => expiryListeners.delete(listener);
}

/** Takes over sign-in and sign-out of other tabs, which share the cookie, from now on. */
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
