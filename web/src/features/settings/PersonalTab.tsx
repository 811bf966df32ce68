import { useQuery } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { useCopy } from "#ui/copy/use-copy.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { fieldsOf } from "#ui/form/fields.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import {
  type AccountForm,
  accountSchema,
  emptyPasswords,
  type PasswordForm,
  passwordSchema,
} from "./personal-form.ts";
import { ownModelsQuery, selfQuery, useCreateAccessToken, useUpdateSelf } from "./settings.api.ts";

/** What everybody may change of the own account. */
export function PersonalTab() {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2">
        <AccountCard />
        <PasswordCard />
      </div>
      <AccessTokenCard />
      <ModelsCard />
    </div>
  );
}

const A = fieldsOf<AccountForm>();

function AccountCard() {
  const t = useT();
  const self = useQuery(selfQuery);
  const { mutateAsync: update } = useUpdateSelf();
  const schema = useMemo(() => accountSchema(t), [t]);
  return (
    <Card title={<h2>{t("settings.account")}</h2>}>
      {self.data === undefined ? (
        self.error === null ? (
          <Skeleton height={150} />
        ) : (
          <ErrorState error={self.error} onRetry={() => void self.refetch()} />
        )
      ) : (
        <PlainForm<AccountForm, AccountForm>
          key={`${self.data.username} ${self.data.display_name}`}
          schema={schema}
          values={{ username: self.data.username, display_name: self.data.display_name }}
          onSubmit={async (value) => {
            await update(value);
            toast({ tone: "success", title: t("settings.accountSaved") });
          }}
          submitLabel={t("settings.save")}
        >
          <div className="flex flex-col gap-4">
            <A.Text
              name="username"
              label={t("settings.username")}
              required
              autoComplete="username"
              spellCheck={false}
            />
            <A.Text name="display_name" label={t("settings.displayName")} autoComplete="nickname" />
          </div>
        </PlainForm>
      )}
    </Card>
  );
}

const P = fieldsOf<PasswordForm>();

function PasswordCard() {
  const t = useT();
  const { mutateAsync: update } = useUpdateSelf();
  const schema = useMemo(() => passwordSchema(t), [t]);
  const [done, setDone] = useState(0);
  return (
    <Card title={<h2>{t("settings.password")}</h2>}>
      <PlainForm<PasswordForm, { password: string; original_password: string }>
        // Empty again once it is saved.
        key={done}
        schema={schema}
        values={emptyPasswords}
        onSubmit={async (value) => {
          await update(value);
          toast({ tone: "success", title: t("settings.passwordSaved") });
          setDone(done + 1);
        }}
        submitLabel={t("settings.password")}
      >
        <div className="flex flex-col gap-4">
          <p className="text-sm">
            <Muted>{t("settings.passwordHelp")}</Muted>
          </p>
          <P.Password
            name="original_password"
            label={t("settings.passwordPresent")}
            autoComplete="current-password"
            required
          />
          <P.Password name="password" label={t("settings.passwordNew")} required />
          <P.Password name="repeated" label={t("settings.passwordRepeat")} required />
        </div>
      </PlainForm>
    </Card>
  );
}

function AccessTokenCard() {
  const t = useT();
  const confirm = useConfirm();
  const copy = useCopy();
  const { mutateAsync: create, isPending } = useCreateAccessToken();
  const [made, setMade] = useState<string | null>(null);

  async function generate() {
    const agreed = await confirm({
      title: t("settings.accessTokenReplaceTitle"),
      body: t("settings.accessTokenReplaceBody"),
      confirmLabel: t("settings.accessTokenCreate"),
    });
    if (!agreed) return;
    try {
      const token = await create();
      setMade(token);
      await copy(token);
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <Card title={<h2>{t("settings.accessToken")}</h2>}>
      <div className="flex flex-col items-start gap-3">
        <p className="text-sm">
          <Muted>{t("settings.accessTokenHelp")}</Muted>
        </p>
        {made !== null && (
          <div className="flex w-full flex-col gap-2">
            <Banner tone="warning" title={t("settings.accessTokenOnce")} />
            <div className="flex min-w-0 items-center gap-2">
              <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">{made}</code>
              <CopyButton text={made} label={t("settings.accessTokenCopy")} variant="primary" />
            </div>
          </div>
        )}
        <Button loading={isPending} onClick={() => void generate()}>
          {t("settings.accessTokenCreate")}
        </Button>
      </div>
    </Card>
  );
}

function ModelsCard() {
  const t = useT();
  const copy = useCopy();
  const models = useQuery(ownModelsQuery);
  const names = models.data ?? [];
  return (
    <Card
      title={<h2>{t("settings.models")}</h2>}
      actions={
        names.length > 0 && <CopyButton text={names.join(",")} label={t("settings.modelsCopy")} />
      }
    >
      {models.isPending && <Skeleton height={40} />}
      {models.error !== null && (
        <ErrorState error={models.error} onRetry={() => void models.refetch()} />
      )}
      {models.data !== undefined && names.length === 0 && <Muted>{t("settings.modelsNone")}</Muted>}
      <ul className="flex flex-wrap gap-2">
        {names.map((name) => (
          <li key={name}>
            <Button
              size="sm"
              aria-label={t("settings.modelsCopyOne", { name })}
              icon={<Copy size={14} aria-hidden />}
              onClick={() => void copy(name)}
            >
              {name}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
