/** The forms of the own account: what may be typed. */

import {
  displayNameMax,
  isPassword,
  passwordMax,
  passwordMin,
  usernameMax,
} from "@tollgate/contract/users.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { usernameSchema } from "#widgets/people/username-schema.ts";

export type AccountForm = { username: string; display_name: string };

/** @param present the name the account has. */
export function accountSchema(t: T, present: string) {
  return z.object({
    username: usernameSchema(
      {
        missing: t("account.usernameMissing"),
        "too-long": t("account.usernameTooLong", { max: usernameMax }),
        "at-sign": t("account.usernameNoAt"),
      },
      present,
    ),
    display_name: z
      .string()
      .trim()
      .max(displayNameMax, t("account.displayNameTooLong", { max: displayNameMax })),
  });
}

export type PasswordForm = { original_password: string; password: string; repeated: string };

export const emptyPasswords: PasswordForm = { original_password: "", password: "", repeated: "" };

/** `mayHaveNone`: the account may have no password yet, because another way leads into it. */
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
      // Told at once, not only when everything else is right.
      when: () => true,
    })
    .transform(({ repeated: _, ...sent }) => sent);
}

/** What the server says of the present password, without naming the field. */
export function isAboutPresentPassword(message: string): boolean {
  return message === "当前密码不正确" || message === "修改密码需要提供当前密码";
}
