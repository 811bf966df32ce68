/** The address of the screen to show after a sign-in, kept as long as the tab exists. */

import { storageKey } from "#page/base-path.ts";

const key = storageKey("return-to");

/** The longest address that is kept, in characters. */
const addressMax = 2_000;

/** Addresses that are not worth returning to: sign-in screens, and those with a one-time token. */
const passing = /^\/(login|register|reset|setup|user\/reset|oauth\/[^?]*)?(\?|$)/;

/**
 * Keeps an address to return to after the next sign-in.
 *
 * @param userId the user who was on that screen: other users are not sent there. Null: any user.
 */
export function keepReturnAddress(address: string, userId: number | null): void {
  if (passing.test(address) || address.length > addressMax) return;
  sessionStorage.setItem(key, `${userId ?? ""} ${address}`);
}

/**
 * Returns the address to go to after `userId` has signed in, and removes it; null: none is kept for
 * this user.
 */
export function takeReturnAddress(userId: number): string | null {
  const [owner = "", address = ""] = (sessionStorage.getItem(key) ?? "").split(" ");
  sessionStorage.removeItem(key);
  const isTheirs = owner === "" || owner === String(userId);
  // Only one leading slash is accepted: an address that starts with two leads to another host.
  return isTheirs && /^\/(?!\/)/.test(address) ? address : null;
}
