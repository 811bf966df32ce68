/** Reads from the head of an answer what is left of the limits of the key that was used. */

import { findField } from "#http1/fields.ts";

/** In the upstream's words; null: it does not say. */
export type ToldLimits = {
  readonly requestsLeft: string | null;
  readonly requestsReset: string | null;
  readonly tokensLeft: string | null;
  readonly tokensReset: string | null;
};

/** The fields of OpenAI, which many others have too, and of Anthropic. */
const names = {
  requestsLeft: ["x-ratelimit-remaining-requests", "anthropic-ratelimit-requests-remaining"],
  requestsReset: ["x-ratelimit-reset-requests", "anthropic-ratelimit-requests-reset"],
  tokensLeft: ["x-ratelimit-remaining-tokens", "anthropic-ratelimit-tokens-remaining"],
  tokensReset: ["x-ratelimit-reset-tokens", "anthropic-ratelimit-tokens-reset"],
} as const satisfies Record<keyof ToldLimits, readonly string[]>;

export const limitFields: readonly string[] = Object.values(names).flat();

/** Returns what a head says of limits; null: nothing. */
export function limitsIn(list: readonly string[]): ToldLimits | null {
  const requestsLeft = oneOf(list, names.requestsLeft);
  const tokensLeft = oneOf(list, names.tokensLeft);
  if (requestsLeft === null && tokensLeft === null) return null;
  return {
    requestsLeft,
    requestsReset: oneOf(list, names.requestsReset),
    tokensLeft,
    tokensReset: oneOf(list, names.tokensReset),
  };
}

function oneOf(list: readonly string[], fields: readonly string[]): string | null {
  for (const name of fields) {
    const value = findField(list, name);
    if (value !== null) return value;
  }
  return null;
}
