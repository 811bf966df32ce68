/** Validates the forms with which users change their own account. */

import { type Language, language } from "@tollgate/contract/words/languages.ts";
import {
  displayNameMax,
  isPassword,
  passwordMax,
  passwordMin,
  usernameMax,
} from "@tollgate/contract/endpoints/users.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { usernameSchema } from "#widgets/people/username-schema.ts";

export type AccountForm = { username: string; display_name: string; language: Language };

/**
 * Makes the schema of the account form.
 * @param present the account's present username, which is accepted even if it breaks a rule.
 */
export function accountSchema(t: T, present: string) {
  return z.object({
    username: usernameSchema(
      {
        missing: t("account.usernameMissing"),
        "too-long": t("account.usernameTooLong", { max: usernameMax }),
        "at-sign": t("account.usernameNoAt"),
        markup: t("account.usernameNoMarkup"),
        invisible: t("account.usernameHidden"),
      },
      present,
    ),
    display_name: z
      .string()
      .trim()
      .max(displayNameMax, t("account.displayNameTooLong", { max: displayNameMax })),
    language,
  });
}

export type PasswordForm = { original_password: string; password: string; repeated: string };

export const emptyPasswords: PasswordForm = { original_password: "", password: "", repeated: "" };

/**
 * Makes the schema of the form for a new password.
 * @param mayHaveNone whether the account may have no password yet, because an OAuth identity
 * created it; the present password is then optional.
 */
export function passwordSchema(t: T, mayHaveNone: boolean) {
  const present = z.string();
  return z
    .object({
      original_password: mayHaveNone
        ? present
        : present.min(1, t("account.passwordPresentMissing")),
      password: z
        .string()
        .refine(isPassword, t("account.passwordLength", { min: passwordMin, max: passwordMax })),
      repeated: z.string(),
    })
    .refine((form) => form.password === form.repeated, {
      path: ["repeated"],
      message: t("account.passwordsDiffer"),
      // This rule is checked even if other fields are invalid, so that all mistakes are shown at
      // the same time.
      when: () => true,
    })
    .transform(({ repeated: _, ...sent }) => sent);
}
