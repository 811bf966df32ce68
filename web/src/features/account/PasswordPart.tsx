/** The part of one's own account that changes the password. */

import type { User } from "@tollgate/contract/endpoints/users.ts";
import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { emptyPasswords, type PasswordForm, passwordSchema } from "./account-form.ts";
import { Part } from "./Part.tsx";
import { useUpdateSelf } from "./account.api.ts";

const F = fieldsOf<PasswordForm>();

export function PasswordPart({ self }: { readonly self: User }) {
  const t = useT();
  const { mutateAsync: update } = useUpdateSelf();
  const mayHaveNone = hasOauthIdentity(self);
  const schema = useMemo(() => passwordSchema(t, mayHaveNone), [t, mayHaveNone]);
  const [savedCount, setSavedCount] = useState(0);
  return (
    <Part name="password" help={t("account.passwordHelp")}>
      <PlainForm<PasswordForm, { password: string; original_password: string }>
        // The React key changes after each save, which empties the fields.
        key={savedCount}
        schema={schema}
        values={emptyPasswords}
        onSubmit={async (value) => {
          await update(value);
          toastSaved(t("account.passwordSaved"));
          setSavedCount(savedCount + 1);
        }}
        submitLabel={t("account.password")}
      >
        {/* A hidden field for password managers, which store the new password under the username in
            it. */}
        <input className="hidden" autoComplete="username" value={self.username} readOnly />
        <div className="grid min-w-0 gap-x-6 gap-y-4 md:grid-cols-3">
          <F.Password
            name="original_password"
            label={t("account.passwordPresent")}
            autoComplete="current-password"
            required={!mayHaveNone}
            {...(mayHaveNone ? { help: t("account.passwordNoneYet") } : {})}
          />
          <F.Password name="password" label={t("account.passwordNew")} required />
          <F.Password name="repeated" label={t("account.passwordRepeat")} required />
        </div>
      </PlainForm>
    </Part>
  );
}

/**
 * Whether the user has an OAuth identity: an account that was created by one has no password at
 * first.
 */
function hasOauthIdentity(self: User): boolean {
  const { github_id, linux_do_id, oidc_id, wechat_id, telegram_id } = self;
  return [github_id, linux_do_id, oidc_id, wechat_id, telegram_id].some((id) => id !== "");
}
