/** Messages for failures of the server and the network. */

import { CallError } from "#api/call.ts";
import { statusStore } from "#api/status.ts";
import { type QuotaDisplay, showQuota } from "#display/quota.ts";
import { type T, translateServerMessage } from "#i18n/t.ts";

/**
 * A message of the server in the current language. Callers pass their `t`, so that they are drawn
 * again when the language changes.
 */
export function showMessage(message: string, _t: T): string {
  return translateServerMessage(message, (quota) => showQuota(quota, quotaDisplay()));
}

/** The amounts of the specification's defaults, until the server's values are read. */
function quotaDisplay(): QuotaDisplay {
  const state = statusStore.read();
  const status = state.kind === "ready" ? state.status : undefined;
  return {
    quotaPerUnit: status?.quota_per_unit ?? 500_000,
    inCurrency: status?.display_in_currency ?? true,
  };
}

/** The message for an error, with the request id of the server's log. */
export function describeFailure(
  error: unknown,
  t: T,
): { readonly title: string; readonly requestId: string | null } {
  if (!(error instanceof CallError)) return { title: t("app.errorRequestFailed"), requestId: null };
  return { title: titleOf(error, t), requestId: error.requestId };
}

/** A refusal shows its own message; other statuses have the specification's texts. */
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
      return t("app.errorInternal");
    default:
      return message === ""
        ? t("app.errorRequestFailed")
        : t("app.errorOther", { message: showMessage(message, t) });
  }
}
