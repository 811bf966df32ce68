/** Validates the forms that bind an e-mail address or a WeChat account. */

import { mailAddress } from "@tollgate/contract/endpoints/mail.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";

type MailForm = { email: string; code: string; password: string };

export const emptyMail: MailForm = { email: "", code: "", password: "" };

/**
 * Makes the schema of a form that asks for the present password.
 * @param asked whether the server requires the present password for the change.
 */
export function passwordSchema(t: T, asked: boolean) {
  const typed = asked ? z.string().min(1, t("account.emailPasswordMissing")) : z.string();
  return typed.transform((password) => (asked ? password : undefined));
}

export function addressSchema(t: T) {
  return z
    .string()
    .trim()
    .min(1, t("account.emailMissing"))
    .refine((text) => text === "" || mailAddress.safeParse(text).success, t("account.emailInvalid"))
    .transform((text) => text.toLowerCase());
}

export function mailSchema(t: T, asksPassword: boolean) {
  return z.object({
    email: addressSchema(t),
    code: z.string().trim().min(1, t("account.emailCodeMissing")),
    password: passwordSchema(t, asksPassword),
  });
}

type WeChatForm = { code: string; password: string };

export const emptyWeChat: WeChatForm = { code: "", password: "" };

export function weChatSchema(t: T, asksPassword: boolean) {
  return z.object({
    code: z.string().trim().min(1, t("account.weChatCodeMissing")),
    password: passwordSchema(t, asksPassword),
  });
}
