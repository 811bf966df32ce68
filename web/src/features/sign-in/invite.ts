/** The code of an invitation link, kept until an account is created with it. */

/** Key in local storage; other one-api consoles use it too. */
const inviteKey = "aff";

/** The longest code the server takes, in characters. */
const inviteMax = 100;

/** Keeps the `aff` of an address; an invalid one changes nothing. */
export function keepInvite(code: unknown): void {
  const text = typeof code === "string" ? code.trim() : "";
  if (text !== "" && text.length <= inviteMax) localStorage.setItem(inviteKey, text);
}

/** Empty: nobody invited the user. */
export function readInvite(): string {
  return localStorage.getItem(inviteKey) ?? "";
}

export function forgetInvite(): void {
  localStorage.removeItem(inviteKey);
}
