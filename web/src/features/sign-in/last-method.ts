/**
 * Remembers the sign-in method that was used last in this browser, so that the sign-in screen can
 * mark it.
 */

import { storageKey } from "#page/base-path.ts";
import type { RedirectProvider } from "#widgets/sign-in/providers.ts";

export type SignInMethod = RedirectProvider | "password" | "telegram" | "wechat";

/** Key in local storage under which the method is kept. */
const key = storageKey("last-sign-in");

export function keepLastMethod(method: string): void {
  localStorage.setItem(key, method);
}

export function isLastMethod(method: SignInMethod): boolean {
  return localStorage.getItem(key) === method;
}
