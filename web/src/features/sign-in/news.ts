/**
 * A message that another screen leaves for the sign-in screen. A toast cannot be used: it would be
 * lost, because the two screens have different frames.
 */

import { stateMismatchMessage } from "@tollgate/contract/words/state-mismatch.ts";
import { CallError } from "#api/call.ts";
import type { T } from "#i18n/t.ts";
import { describeFailure } from "#widgets/server/server-message.ts";

type News =
  | { readonly kind: "registered" }
  /** Sign-in by a provider failed; `type` is the provider's name in addresses. */
  | { readonly kind: "failed"; readonly type: string; readonly error: unknown };

let news: News | null = null;

export function keepNews(next: News): void {
  news = next;
}

/** Returns the message to show; null: there is none. */
export function readNews(): News | null {
  return news;
}

export function forgetNews(): void {
  news = null;
}

/** Returns the message for a failed sign-in by a provider. */
export function describeOauthFailure(error: unknown, t: T): string {
  return error instanceof CallError && error.message === stateMismatchMessage
    ? t("signIn.oauthStale")
    : describeFailure(error, t).title;
}
