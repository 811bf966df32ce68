import { useQuery } from "@tanstack/react-query";
import { role, type User } from "@tollgate/contract/endpoints/users.ts";
import { type ReactNode, useMemo } from "react";
import { languageNames, languages, type TextKey, useLanguage, useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ProgressBar } from "#ui/feedback/ProgressBar.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { toastSaved } from "#ui/overlays/toast.ts";
import { useSelfUse } from "#widgets/server/use-status.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { type AccountForm, accountSchema } from "./account-form.ts";
import { Figure } from "#ui/chart/Figure.tsx";
import { Part } from "./Part.tsx";
import { atField, ownGroupsQuery, useUpdateSelf } from "./account.api.ts";
import { ratioTone } from "#widgets/money/ratio-tone.ts";

/**
 * The user's account: names, role, group, balance. Username, display name and language can be
 * changed.
 */
export function AccountPart({ self }: { readonly self: User }) {
  return (
    <Part name="account">
      <div className="flex min-w-0 flex-col gap-6">
        <div className="flex min-w-0 flex-col gap-4">
          <Standing self={self} />
          <Spending self={self} />
        </div>
        <NamesForm key={`${self.username} ${self.display_name} ${self.language}`} self={self} />
      </div>
    </Part>
  );
}

const roleNames: Readonly<Record<User["role"], TextKey>> = {
  [role.enum.user]: "app.roleUser",
  [role.enum.admin]: "app.roleAdmin",
  [role.enum.root]: "app.roleRoot",
};

/** Shows the user's name, role, group and id in one line. */
function Standing({ self }: { readonly self: User }) {
  const t = useT();
  const groups = useQuery(ownGroupsQuery);
  const ratio = groups.data?.[self.group]?.ratio;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <span className="min-w-0 text-lg font-semibold wrap-anywhere">
        {self.display_name || self.username}
      </span>
      <Badge tone={self.role === role.enum.user ? "neutral" : "accent"}>
        {t(roleNames[self.role])}
      </Badge>
      <Badge tone={ratio === undefined ? "neutral" : ratioTone(ratio)}>
        {ratio === undefined
          ? self.group
          : t("account.groupWithRatio", { group: self.group, ratio })}
      </Badge>
      <span className="text-sm tabular-nums">
        <Muted>{t("account.id", { id: self.id })}</Muted>
      </span>
    </div>
  );
}

function Spending({ self }: { readonly self: User }) {
  const t = useT();
  const selfUse = useSelfUse();
  // Self-use mode hides the balance, but not one that is used up, because calls are then refused.
  const showsBalance = !selfUse || self.quota <= 0;
  const whole = Math.max(0, self.quota) + self.used_quota;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-x-10 gap-y-3">
        {showsBalance && (
          <Figure label={t("account.quotaLeft")}>
            <QuotaText quota={self.quota} />
          </Figure>
        )}
        <Figure label={t("account.quotaUsed")}>
          <QuotaText quota={self.used_quota} />
        </Figure>
        <Figure label={t("account.requests")}>{self.request_count.toLocaleString("en-US")}</Figure>
      </div>
      {showsBalance && (
        <ProgressBar
          value={self.used_quota}
          max={whole}
          tone={self.quota <= 0 ? "danger" : "accent"}
          label={t("account.quotaUsed")}
        />
      )}
    </div>
  );
}

const F = fieldsOf<AccountForm>();

function NamesForm({ self }: { readonly self: User }): ReactNode {
  const t = useT();
  const shown = useLanguage();
  const { mutateAsync: update } = useUpdateSelf();
  const schema = useMemo(() => accountSchema(t, self.username), [t, self.username]);
  return (
    <PlainForm<AccountForm, AccountForm>
      schema={schema}
      values={{
        username: self.username,
        display_name: self.display_name,
        language: self.language || shown,
      }}
      onSubmit={async (value) => {
        try {
          await update(value);
        } catch (error) {
          // A refusal that names no field is about the username, the only value that must be
          // unique.
          throw atField(error, "username");
        }
        toastSaved(t("account.accountSaved"));
      }}
      submitLabel={t("account.save")}
      draftId="account"
    >
      <div className="grid min-w-0 gap-x-6 gap-y-4 md:grid-cols-2">
        <F.Text
          name="username"
          label={t("account.username")}
          help={t("account.usernameHelp")}
          required
          autoComplete="username"
          spellCheck={false}
        />
        <F.Text
          name="display_name"
          label={t("account.displayName")}
          help={t("account.displayNameHelp")}
          autoComplete="nickname"
        />
        <F.Select
          name="language"
          label={t("account.language")}
          help={t("account.languageHelp")}
          items={languages.map((value) => ({ value, label: languageNames[value] }))}
        />
      </div>
    </PlainForm>
  );
}
