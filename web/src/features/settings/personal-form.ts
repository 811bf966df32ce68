/** The forms of the own account: what may be typed. */

import {
  displayNameMax,
  isPassword,
  passwordMax,
  passwordMin,
  usernameMax,
} from "contract/users.ts";
import { z } from "zod";
import type { T } from "#i18n/t.ts";

export type AccountForm = { username: string; display_name: string };

export function accountSchema(t: T) {
  return z.object({
    username: z
      .string()
      .trim()
      .min(1, t("settings.usernameMissing"))
      .max(usernameMax, t("settings.usernameTooLong", { max: usernameMax })),
    display_name: z
      .string()
      .trim()
      .max(displayNameMax, t("settings.displayNameTooLong", { max: displayNameMax })),
  });
}

export type PasswordForm = { original_password: string; password: string; repeated: string };

export const emptyPasswords: PasswordForm = { original_password: "", password: "", repeated: "" };

export function passwordSchema(t: T) {
  return z
    .object({
      original_password: z.string().min(1, t("settings.passwordPresentMissing")),
      password: z
        .string()
        .refine(isPassword, t("settings.passwordLength", { min: passwordMin, max: passwordMax })),
      repeated: z.string(),
    })
    .refine((form) => form.password === form.repeated, {
      path: ["repeated"],
      message: t("settings.passwordsDiffer"),
      // Told at once, not only when everything else is right.
      when: () => true,
    })
    .transform(({ repeated: _, ...sent }) => sent);
}
