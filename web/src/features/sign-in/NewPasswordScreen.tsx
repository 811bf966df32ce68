import { useQueryClient } from "@tanstack/react-query";
import { isPassword, passwordMax, passwordMin, updateSelf } from "@tollgate/contract/users.ts";
import { useMemo } from "react";
import { z } from "zod";
import { call } from "#api/call.ts";
import { keepSession, readSession } from "#api/session.ts";
import { type T, useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { SignInFrame } from "./SignInFrame.tsx";

type NewPassword = { original_password: string; password: string; repeated: string };
const F = fieldsOf<NewPassword>();

/** Replaces every screen until the user has changed a password that somebody else has set. */
export function NewPasswordScreen({ username }: { readonly username: string }) {
  const t = useT();
  const queries = useQueryClient();
  const schema = useMemo(() => newPasswordSchema(t), [t]);

  async function submit({ original_password, password }: NewPassword) {
    await call(updateSelf, { original_password, password });
    toast({ tone: "success", title: t("security.newPasswordSaved") });
    const session = readSession();
    if (session !== null) keepSession({ ...session, password_expired: undefined });
    // While the password was expired, the server refused the screens' calls.
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
        {/* Password managers save the new password under this name. */}
        <input className="hidden" autoComplete="username" value={username} readOnly />
        <div className="flex flex-col gap-4">
          <F.Password
            name="original_password"
            label={t("security.password")}
            autoComplete="current-password"
            required
          />
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

function newPasswordSchema(t: T) {
  return z
    .object({
      original_password: z.string().min(1, t("security.passwordMissing")),
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
