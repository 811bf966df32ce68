import {
  register,
  resetPassword,
  sendMailCode,
  sendResetLink,
} from "@tollgate/contract/registration.ts";
import { call } from "#api/call.ts";
import type { Language } from "#i18n/t.ts";
import { forgetInvite, readInvite } from "./invite.ts";
import type { Registration } from "./register-form.ts";

/** `turnstile`: what the bot check gave; empty where none is asked for. */
type Letter = {
  readonly email: string;
  readonly lang: Language;
  readonly turnstile: string;
};

/** Makes the account, which is not signed in by that. */
export async function createAccount(form: Registration, turnstile: string): Promise<void> {
  await call(register, { ...form, aff_code: readInvite(), turnstile });
  forgetInvite();
}

export async function mailCode(letter: Letter): Promise<void> {
  await call(sendMailCode, letter);
}

/** Succeeds as well when nobody has the address. */
export async function mailResetLink(letter: Letter): Promise<void> {
  await call(sendResetLink, letter);
}

/** The new password, which is told this once. */
export async function confirmReset(email: string, token: string): Promise<string> {
  return await call(resetPassword, { email, token });
}
