/** A stand-in for Cloudflare's script, for tests. */

import { waitFor } from "#testing/dom.ts";
import type { Turnstile, TurnstileOptions } from "#widgets/sign-in/turnstile.ts";

/** The widgets it was asked to show and to reset. */
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

/** Makes the script available from now on. A page has it once, so it stays. */
export function playTurnstile(): void {
  letScriptsCome(true);
  Object.assign(window, { turnstile: played });
}

export function forgetTurnstile(): void {
  shown.length = 0;
  renewed.length = 0;
}

/** happy-dom loads no scripts; this reports each as loaded or failed. */
export function letScriptsCome(come: boolean): void {
  const { happyDOM } = window as unknown as {
    happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: boolean } };
  }; // happy-dom adds this field to the window
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = come;
}

/** The newest widget; parts that are loaded on demand may take their time. */
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
