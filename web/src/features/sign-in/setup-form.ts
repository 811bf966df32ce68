/** The set-up form, and the token of the printed link. */

import { z } from "zod";
import type { T } from "#i18n/t.ts";
import { newPasswordSchema, newUsernameSchema } from "./register-form.ts";

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
      // Checked even while other fields are wrong, so that the user sees it at once.
      when: () => true,
    });
}

/** The token of a set-up link: of the whole link, of its part behind `#`, or by itself. */
export function tokenOf(text: string): string {
  const trimmed = text.trim();
  const found = /[#&]?token=([^&\s]+)/.exec(trimmed)?.[1];
  return found ?? (/[/?#=\s]/.test(trimmed) ? "" : trimmed);
}
