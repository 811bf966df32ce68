import { updateSelf } from "@tollgate/contract/endpoints/users.ts";
import { call } from "#api/call.ts";
import { readSession } from "#api/session.ts";
import { onLanguageChosen } from "#i18n/t.ts";

/** Saves the language that the user chooses to the account, for e-mails and notices. */
export function followLanguage(): void {
  onLanguageChosen((language) => {
    if (readSession() === null) return;
    // An error is ignored, because the chosen language applies in this browser anyway.
    void call(updateSelf, { language }).catch(() => undefined);
  });
}
