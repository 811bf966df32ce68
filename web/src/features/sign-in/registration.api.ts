import {
  register,
  resetPassword,
  sendMailCode,
  sendResetLink,
  undoMailChange,
} from "@tollgate/contract/registration.ts";
import type { z } from "zod";
import { call } from "#api/call.ts";
import type { Language } from "#i18n/t.ts";
import { forgetInvite, readInvite } from "./invite.ts";
import type { Registration } from "./register-form.ts";

/** `turnstile`: the token of the bot check; empty if none is needed. */
type MailRequest = {
  readonly email: string;
  readonly lang: Language;
  readonly turnstile: string;
};

/** Creates the account without signing in. */
export async function createAccount(form: Registration, turnstile: string): Promise<void> {
  await call(register, { ...form, aff_code: readInvite(), turnstile });
  forgetInvite();
}

export async function mailCode(mail: MailRequest): Promise<void> {
  await call(sendMailCode, mail);
}

/** Succeeds as well if nobody has the address. */
export async function mailResetLink(mail: MailRequest): Promise<void> {
  await call(sendResetLink, mail);
}

/** Gives the account its old address back. */
export async function undoMail(link: z.input<(typeof undoMailChange)["input"]>): Promise<void> {
  await call(undoMailChange, link);
}

/** Resolves to the new password, which is shown only once. */
export async function confirmReset(email: string, token: string): Promise<string> {
  return await call(resetPassword, { email, token });
}
