/** What the server and the network say, in words for people. */

import { CallError } from "#api/call.ts";
import { type T, translateServerMessage } from "#i18n/t.ts";

/**
 * A message of the server in the present language. Whoever shows it passes its `t`, and so is drawn
 * again when the language changes.
 */
export function showMessage(message: string, _t: T): string {
  return translateServerMessage(message);
}

/** What to say of an error, and the id by which the server's log knows it. */
export function describeFailure(
  error: unknown,
  t: T,
): { readonly title: string; readonly requestId: string | null } {
  if (!(error instanceof CallError)) return { title: t("app.errorRequestFailed"), requestId: null };
  return { title: titleOf(error, t), requestId: error.requestId };
}

/** A refusal is its message; the texts of the other statuses are the specification's. */
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
      return t("app.errorOther", { message: showMessage(message, t) });
  }
}
