import { useQueryClient } from "@tanstack/react-query";
import {
  isPassword,
  passwordMax,
  passwordMin,
  updateSelf,
} from "@tollgate/contract/endpoints/users.ts";
import { useMemo, useState } from "react";
import { z } from "zod";
import { call, CallError } from "#api/call.ts";
import { keepSession, readSession } from "#api/session.ts";
import { type T, useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { SignInFrame } from "#widgets/sign-in/SignInFrame.tsx";

type NewPassword = { original_password: string; password: string; repeated: string };
const F = fieldsOf<NewPassword>();

/**
 * Shown instead of any other screen to a user whose password somebody else has set, until the user
 * has changed it.
 */
export function NewPasswordScreen({ username }: { readonly username: string }) {
  const t = useT();
  const queries = useQueryClient();
  // Whether the server requires the present password, too. It does not in the session that was
  // opened with that password.
  const [needsPresent, setNeedsPresent] = useState(false);
  const schema = useMemo(() => newPasswordSchema(t, needsPresent), [t, needsPresent]);

  async function submit({ original_password, password }: NewPassword) {
    try {
      await call(updateSelf, { password, ...(needsPresent ? { original_password } : {}) });
    } catch (error) {
      if (error instanceof CallError && error.field === "original_password") setNeedsPresent(true);
      throw error;
    }
    toast({ tone: "success", title: t("security.newPasswordSaved") });
    const session = readSession();
    if (session !== null) keepSession({ ...session, password_expired: undefined });
    // Reads everything again, because the server refused the calls of all screens until now.
    await queries.invalidateQueries();
  }

  return (
    <SignInFrame title={t("security.newPasswordTitle")} description={t("security.newPasswordHelp")}>
      <PlainForm<NewPassword, NewPassword>
        schema={schema}
        values={{ original_password: "", password: "", repeated: "" }}
        onSubmit={submit}
        submitLabel={t("security.newPasswordSave")}
        wide
      >
        {/* A hidden field for password managers, which store the new password under the username in
            it. */}
        <input className="hidden" autoComplete="username" value={username} readOnly />
        <div className="flex flex-col gap-4">
          {needsPresent && (
            <F.Password
              name="original_password"
              label={t("security.password")}
              autoComplete="current-password"
              required
            />
          )}
          <F.Password
            name="password"
            label={t("security.newPassword")}
            help={t("security.newPasswordLimits", { min: passwordMin, max: passwordMax })}
            required
          />
          <F.Password name="repeated" label={t("security.newPasswordRepeat")} required />
        </div>
      </PlainForm>
    </SignInFrame>
  );
}

function newPasswordSchema(t: T, needsPresent: boolean) {
  return z
    .object({
      original_password: z.string().min(needsPresent ? 1 : 0, t("security.passwordMissing")),
      password: z
        .string()
        .refine(
          isPassword,
          t("security.newPasswordLength", { min: passwordMin, max: passwordMax }),
        ),
      repeated: z.string(),
    })
    .refine(({ password, original_password }) => password !== original_password, {
      path: ["password"],
      message: t("security.newPasswordSame"),
    })
    .refine(({ password, repeated }) => password === repeated, {
      path: ["repeated"],
      message: t("security.passwordsDiffer"),
    });
}
