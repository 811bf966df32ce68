/** Makes the messages that users see when a call failed, because of the server or the network. */

import { role } from "@tollgate/contract/endpoints/users.ts";
import { CallError } from "#api/call.ts";
import { readSession } from "#api/session.ts";
import { statusStore } from "#api/status.ts";
import { type QuotaDisplay, showQuota } from "#display/quota.ts";
import { type T, translateServerMessage } from "#i18n/t.ts";

/**
 * Translates a message of the server into the current language. The unused parameter `t` makes
 * callers depend on the translation, so that they are drawn again when the language changes.
 */
export function showMessage(message: string, _t: T): string {
  return translateServerMessage(message, (quota) => showQuota(quota, quotaDisplay()));
}

/**
 * Returns how amounts in messages are shown; the specification's defaults until the status is read.
 */
function quotaDisplay(): QuotaDisplay {
  const state = statusStore.read();
  const status = state.kind === "ready" ? state.status : undefined;
  return {
    quotaPerUnit: status?.quota_per_unit ?? 500_000,
    inCurrency: status?.display_in_currency ?? true,
  };
}

/**
 * Writes the message for a failed call, and its request id, by which the server's log can be
 * searched.
 */
export function describeFailure(
  error: unknown,
  t: T,
): { readonly title: string; readonly requestId: string | null } {
  if (!(error instanceof CallError)) return { title: t("app.errorRequestFailed"), requestId: null };
  return { title: titleOf(error, t), requestId: error.requestId };
}

/** Returns whether root reads the message, who has no administrator to ask. */
function isRoot(): boolean {
  return (readSession()?.role ?? 0) >= role.enum.root;
}

/**
 * Writes the title for a failed call: the server's own message for a refusal, the specification's
 * text for other HTTP statuses.
 */
function titleOf({ status, message }: CallError, t: T): string {
  switch (status) {
    case 0:
      return t("app.errorAway");
    case 200:
      return message === "" ? t("app.errorRequestFailed") : showMessage(message, t);
    case 401:
      return t("app.errorSignedOut");
    case 405:
      return t("app.errorDemoOnly");
    case 428:
      return t("app.errorStepUp");
    case 429:
      return t("app.errorRateLimited");
    case 500:
      return isRoot() ? t("app.errorInternalRoot") : t("app.errorInternal");
    default:
      return message === ""
        ? t("app.errorRequestFailed")
        : t("app.errorOther", { message: showMessage(message, t) });
  }
}
