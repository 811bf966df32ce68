/** Why a sign-in elsewhere failed, from the screen it came back to until the next one shows it. */

let failure: { readonly error: unknown } | null = null;

export function keepOauthFailure(error: unknown): void {
  failure = { error };
}

/** Null: there was none. */
export function readOauthFailure(): { readonly error: unknown } | null {
  return failure;
}

export function forgetOauthFailure(): void {
  failure = null;
}
