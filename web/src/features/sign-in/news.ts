/**
 * A message for the sign-in screen from the screen that leads there. A toast would be lost, because
 * that screen has another frame.
 */

import { stateMismatchMessage } from "@tollgate/contract/state-mismatch.ts";
import { CallError } from "#api/call.ts";
import type { T } from "#i18n/t.ts";
import { describeFailure } from "#widgets/server/server-message.ts";

type News =
  | { readonly kind: "registered" }
  /** A provider's sign-in failed; `type`: the provider's name in the address. */
  | { readonly kind: "failed"; readonly type: string; readonly error: unknown };

let news: News | null = null;

export function keepNews(next: News): void {
  news = next;
}

/** Null: there is none. */
export function readNews(): News | null {
  return news;
}

export function forgetNews(): void {
  news = null;
}

/** Why a visit to a provider failed. */
export function describeOauthFailure(error: unknown, t: T): string {
  return error instanceof CallError && error.message === stateMismatchMessage
    ? t("signIn.oauthStale")
    : describeFailure(error, t).title;
}
