/** How somebody last signed in with this browser, so that the same way is found again. */

import type { RedirectProvider } from "#widgets/sign-in/providers.ts";

export type SignInMethod = RedirectProvider | "password" | "telegram" | "wechat";

/** Local storage's name for it. */
const key = "last-sign-in";

export function keepLastMethod(method: string): void {
  localStorage.setItem(key, method);
}

export function isLastMethod(method: SignInMethod): boolean {
  return localStorage.getItem(key) === method;
}
