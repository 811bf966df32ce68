/** Texts that a provider tells of an account, in the form in which they are stored and shown here. */

import { displayNameMax, usernameFault } from "@tollgate/contract/endpoints/users.ts";
import type { ExternalUser, Method } from "./methods/method.ts";

/**
 * Returns the name that is shown for the identity: the account's name at the provider, otherwise
 * the subject.
 */
export function shownNameOf({ shownAs = "", subject }: ExternalUser): string {
  return shownText(shownAs) || subject;
}

/** Returns the name that a new account is shown by. */
export function displayNameOf({ displayName }: ExternalUser, { title }: Method): string {
  const characters = [...shownText(displayName)].slice(0, displayNameMax);
  return characters.join("").trim() || `${title.trim()} User`;
}

/** Whether a provider's name is a valid username here. Names with spaces are not used. */
export function isUsername(text: string): boolean {
  return text !== "" && usernameFault(text) === null && !/\s/.test(text);
}

/** The longest text from a provider that the console shows, in characters; a longer one is cut. */
const shownMax = 200;

/** Returns a provider's text in the form in which it is shown: without control characters. */
export function shownText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, " ")
    .slice(0, shownMax)
    .trim();
}
