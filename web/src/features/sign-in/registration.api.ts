import { register, resetPassword, sendMailCode, sendResetLink } from "contract/registration.ts";
import { call } from "#api/call.ts";
import type { Language } from "#i18n/t.ts";
import { forgetInvite, readInvite } from "./invite.ts";
import type { Registration } from "./register-form.ts";

/** Makes the account, which is not signed in by that. */
export async function createAccount(form: Registration): Promise<void> {
  await call(register, { ...form, aff_code: readInvite() });
  forgetInvite();
}

export async function mailCode(email: string, lang: Language): Promise<void> {
  await call(sendMailCode, { email, lang });
}

/** Succeeds as well when nobody has the address. */
export async function mailResetLink(email: string, lang: Language): Promise<void> {
  await call(sendResetLink, { email, lang });
}

/** The new password, which is told this once. */
export async function confirmReset(email: string, token: string): Promise<string> {
  return await call(resetPassword, { email, token });
}
