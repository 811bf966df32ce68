/** Replaces Cloudflare's bot-check script in tests. */

import { waitFor } from "#testing/dom.ts";
import type { Turnstile, TurnstileOptions } from "#widgets/sign-in/turnstile.ts";

/** The widgets that the page has shown (`shown`), and the ids of those it has reset (`renewed`). */
export const shown: { readonly id: string; readonly options: TurnstileOptions }[] = [];
export const renewed: string[] = [];

const played: Turnstile = {
  render(_, options) {
    const id = `widget-${shown.length}`;
    shown.push({ id, options });
    return id;
  },
  reset: (id) => void renewed.push(id),
  remove: () => undefined,
};

/**
 * Makes the replacement available. It stays for the rest of the test file, as a real page would
 * keep the script, too.
 */
export function playTurnstile(): void {
  letScriptsCome(true);
  Object.assign(window, { turnstile: played });
}

export function forgetTurnstile(): void {
  shown.length = 0;
  renewed.length = 0;
}

/**
 * Sets whether happy-dom reports scripts as loaded or as failed. It is the DOM of these tests, and
 * loads none itself.
 */
export function letScriptsCome(come: boolean): void {
  const { happyDOM } = window as unknown as {
    happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: boolean } };
  }; // safe cast: a field that happy-dom adds to the window
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = come;
}

/**
 * Waits for the widget that was shown last. The time limit is long because the component is loaded
 * only when it is needed.
 */
export async function findWidget(): Promise<TurnstileOptions> {
  return await waitFor(
    () => {
      const newest = shown.at(-1);
      if (newest === undefined) throw new Error("it is not put up");
      return newest.options;
    },
    { timeout: 20_000 },
  );
}
