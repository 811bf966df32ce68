/** The set-up form, and how the token is read from the link that the server prints. */

import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { newPasswordSchema, newUsernameSchema } from "#features/sign-in/register-form.ts";

export type SetupForm = {
  token: string;
  username: string;
  password: string;
  confirmPassword: string;
  SelfUseModeEnabled: boolean;
  DemoSiteEnabled: boolean;
};

export const emptySetup: SetupForm = {
  token: "",
  username: "root",
  password: "",
  confirmPassword: "",
  SelfUseModeEnabled: false,
  DemoSiteEnabled: false,
};

export function setupSchema(t: T) {
  return z
    .object({
      token: z
        .string()
        .transform(tokenOf)
        .pipe(z.string().min(1, t("entry.setupTokenMissing"))),
      username: newUsernameSchema(t),
      password: newPasswordSchema(t),
      confirmPassword: z.string(),
      SelfUseModeEnabled: z.boolean(),
      DemoSiteEnabled: z.boolean(),
    })
    .refine((form) => form.password === form.confirmPassword, {
      path: ["confirmPassword"],
      message: t("entry.passwordsDiffer"),
      // This rule is checked even if other fields are invalid, so that all mistakes are shown at
      // the same time.
      when: () => true,
    });
}

/**
 * Finds the set-up token in a typed text, which may be the whole link, its part after `#`, or the
 * token alone. Empty: the text contains no token.
 */
export function tokenOf(text: string): string {
  const trimmed = text.trim();
  const found = /[#&]?token=([^&\s]+)/.exec(trimmed)?.[1];
  return found ?? (/[/?#=\s]/.test(trimmed) ? "" : trimmed);
}
