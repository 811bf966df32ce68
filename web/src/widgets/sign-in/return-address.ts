/** Where somebody was who had to sign in first, for as long as the tab lives. */

const key = "return-to";

/** Longest address that is kept, in characters. */
const addressMax = 2_000;

/** Screens nobody wants to come back to, or whose address holds what works once. */
const passing = /^\/(login|register|reset|setup|user\/reset|oauth\/[^?]*)?(\?|$)/;

/** `userId`: whose screen it was, which somebody else does not get; null: nobody's yet. */
export function keepReturnAddress(address: string, userId: number | null): void {
  if (passing.test(address) || address.length > addressMax) return;
  sessionStorage.setItem(key, `${userId ?? ""} ${address}`);
}

/** Where the sign-in of `userId` leads: what was kept, else the tokens. Forgets it. */
export function takeReturnAddress(userId: number): string {
  const [owner = "", address = ""] = (sessionStorage.getItem(key) ?? "").split(" ");
  sessionStorage.removeItem(key);
  const isTheirs = owner === "" || owner === String(userId);
  // One slash only: two would name another host.
  return isTheirs && /^\/(?!\/)/.test(address) ? address : "/token";
}
