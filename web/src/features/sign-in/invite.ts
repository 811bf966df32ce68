/** The inviter's code, from the link somebody came by until an account was made with it. */

/** Local storage's name for it; the family's. */
const inviteKey = "aff";

/** Longest code the server takes, in characters. */
const inviteMax = 100;

/** Keeps the `aff` of an address; one that can be no code changes nothing. */
export function keepInvite(code: unknown): void {
  const text = typeof code === "string" ? code.trim() : "";
  if (text !== "" && text.length <= inviteMax) localStorage.setItem(inviteKey, text);
}

/** Empty: nobody invited them. */
export function readInvite(): string {
  return localStorage.getItem(inviteKey) ?? "";
}

export function forgetInvite(): void {
  localStorage.removeItem(inviteKey);
}
