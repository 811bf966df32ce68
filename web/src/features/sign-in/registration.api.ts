import {
  register,
  resetPassword,
  sendMailCode,
  sendResetLink,
  undoMailChange,
} from "@tollgate/contract/endpoints/registration.ts";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import type { z } from "zod";
import { call } from "#api/call.ts";
import { keepSession } from "#api/session.ts";
import type { Language } from "#i18n/t.ts";
import { forgetInvite, readInvite } from "./invite.ts";
import type { Registration } from "./register-form.ts";

/** A request for an e-mail. `turnstile` is the bot-check token; empty if no check is required. */
type MailRequest = {
  readonly email: string;
  readonly lang: Language;
  readonly turnstile: string;
};

/**
 * Creates an account. Resolves to its user, who is then signed in; undefined: the server has not
 * signed the user in.
 */
export async function createAccount(
  form: Registration,
  turnstile: string,
): Promise<ShortUser | undefined> {
  const user = await call(register, { ...form, aff_code: readInvite(), turnstile });
  forgetInvite();
  if (user !== undefined) keepSession(user);
  return user;
}

export async function mailCode(mail: MailRequest): Promise<void> {
  await call(sendMailCode, mail);
}

/** Asks for an e-mail with a reset link. Also succeeds if no account has the address. */
export async function mailResetLink(mail: MailRequest): Promise<void> {
  await call(sendResetLink, mail);
}

/** Undoes a change of an account's e-mail address, by the link that the old address received. */
export async function undoMail(link: z.input<(typeof undoMailChange)["input"]>): Promise<void> {
  await call(undoMailChange, link);
}

/**
 * Resets the password by the link of an e-mail. Resolves to the new password, which is shown only
 * once.
 */
export async function confirmReset(email: string, token: string): Promise<string> {
  return await call(resetPassword, { email, token });
}
