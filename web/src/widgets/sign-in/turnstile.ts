/**
 * Loads Turnstile, Cloudflare's bot check; a page loads its script once. Source, read 2026-11-21:
 * https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/
 */

import { loadOutside } from "./outside-script.ts";

const turnstileScript = "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit";

export type TurnstileOptions = {
  readonly sitekey: string;
  readonly theme: "dark" | "light";
  /**
   * A code of the list at
   * https://developers.cloudflare.com/turnstile/reference/supported-languages/
   */
  readonly language: string;
  readonly size: "flexible";
  /** Called with a token, which is valid for one call within five minutes. */
  readonly callback: (token: string) => void;
  readonly "expired-callback": () => void;
  readonly "timeout-callback": () => void;
  /** Returns true to say that the page shows the error itself. */
  readonly "error-callback": (code: string) => boolean;
  readonly "unsupported-callback": () => void;
};

export type Turnstile = {
  /** Shows a widget and returns its id; null or undefined: it could not be shown. */
  render(place: HTMLElement, options: TurnstileOptions): string | null | undefined;
  /** Makes the widget produce another token. */
  reset(id: string): void;
  remove(id: string): void;
};

let loading: Promise<Turnstile> | null = null;

/**
 * Loads Turnstile, unless the page has loaded it already.
 * @throws Error if the script cannot be loaded; the next call tries again.
 */
export async function loadTurnstile(): Promise<Turnstile> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return await loading;
}

async function load(): Promise<Turnstile> {
  await loadOutside(document.head, turnstileScript);
  // Turnstile's script defines this object; no other code does.
  const { turnstile } = window as { turnstile?: Turnstile };
  if (turnstile === undefined) throw new Error("the script is not Turnstile's");
  return turnstile;
}
