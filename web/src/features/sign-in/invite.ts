/** Keeps the code of an invitation link until an account is created with it. */

import { storageKey } from "#page/base-path.ts";

/** Key in local storage. Other consoles of the one-api family use the same key. */
const inviteKey = storageKey("aff");

/** The longest code that the server accepts, in characters. */
const inviteMax = 100;

/** Stores the invitation code of an address (parameter `aff`). An invalid code is ignored. */
export function keepInvite(code: unknown): void {
  const text = typeof code === "string" ? code.trim() : "";
  if (text !== "" && text.length <= inviteMax) localStorage.setItem(inviteKey, text);
}

/** Reads the stored invitation code; empty: there is none. */
export function readInvite(): string {
  return localStorage.getItem(inviteKey) ?? "";
}

export function forgetInvite(): void {
  localStorage.removeItem(inviteKey);
}
