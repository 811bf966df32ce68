/** The set-up form: what may be typed, and what of the printed link is sent with it. */

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
      // Told at once, not only when everything else is right.
      when: () => true,
    });
}

/** The secret of a set-up link; of a whole link, of its part behind `#`, or by itself. */
export function tokenOf(text: string): string {
  const trimmed = text.trim();
  const found = /[#&]?token=([^&\s]+)/.exec(trimmed)?.[1];
  return found ?? (/[/?#=\s]/.test(trimmed) ? "" : trimmed);
}
