/** The address to return to after a sign-in; kept while the tab lives. */

const key = "return-to";

/** The longest address that is kept, in characters. */
const addressMax = 2_000;

/** Addresses that are not kept: sign-in screens, and those with a one-time token. */
const passing = /^\/(login|register|reset|setup|user\/reset|oauth\/[^?]*)?(\?|$)/;

/** `userId`: the user whose screen it was; other users do not return to it. Null: not known yet. */
export function keepReturnAddress(address: string, userId: number | null): void {
  if (passing.test(address) || address.length > addressMax) return;
  sessionStorage.setItem(key, `${userId ?? ""} ${address}`);
}

/** Where the sign-in of `userId` leads: the kept address, else the tokens. Forgets it. */
export function takeReturnAddress(userId: number): string {
  const [owner = "", address = ""] = (sessionStorage.getItem(key) ?? "").split(" ");
  sessionStorage.removeItem(key);
  const isTheirs = owner === "" || owner === String(userId);
  // Exactly one slash: an address that starts with two would lead to another host.
  return isTheirs && /^\/(?!\/)/.test(address) ? address : "/token";
}
