/** The registration form: its values, and how they are validated. */

import { mailAddress } from "@tollgate/contract/endpoints/mail.ts";
import {
  isPassword,
  passwordMax,
  passwordMin,
  usernameMax,
} from "@tollgate/contract/endpoints/users.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { usernameSchema } from "#widgets/people/username-schema.ts";

export type RegisterForm = {
  username: string;
  password: string;
  password2: string;
  email: string;
  verification_code: string;
};

export const emptyRegistration: RegisterForm = {
  username: "",
  password: "",
  password2: "",
  email: "",
  verification_code: "",
};

/**
 * Makes the schema of the registration form.
 * @param withMail whether the server requires an e-mail address and the code sent to it.
 */
export function registerSchema(t: T, withMail: boolean) {
  return z
    .object({
      username: newUsernameSchema(t),
      password: newPasswordSchema(t),
      password2: z.string(),
      email: withMail ? mailSchema(t) : z.string().transform(() => ""),
      verification_code: withMail
        ? z.string().trim().min(1, t("entry.codeRequired"))
        : z.string().transform(() => ""),
    })
    .refine((form) => form.password === form.password2, {
      path: ["password2"],
      message: t("entry.passwordsDiffer"),
      // This rule is checked even if other fields are invalid, so that all mistakes are shown at
      // the same time.
      when: () => true,
    });
}

/** Validates the username of a new account. */
export function newUsernameSchema(t: T) {
  return usernameSchema({
    missing: t("entry.usernameRequired"),
    "too-long": t("entry.usernameTooLong", { max: usernameMax }),
    "at-sign": t("entry.usernameNoAt"),
    markup: t("entry.usernameNoMarkup"),
    invisible: t("entry.usernameHidden"),
  });
}

/** Validates a new password; too short and too long passwords get different messages. */
export function newPasswordSchema(t: T) {
  return z
    .string()
    .min(passwordMin, t("entry.passwordTooShort"))
    .refine(
      (typed) => typed.length < passwordMin || isPassword(typed),
      t("entry.passwordTooLong", { max: passwordMax }),
    );
}

export type Registration = z.output<ReturnType<typeof registerSchema>>;

/**
 * Validates an e-mail address and converts it to lower case; empty and invalid ones get different
 * messages.
 */
export function mailSchema(t: T) {
  return z
    .string()
    .trim()
    .min(1, t("entry.emailRequired"))
    .refine((text) => text === "" || mailAddress.safeParse(text).success, t("entry.emailInvalid"))
    .transform((text) => text.toLowerCase());
}
