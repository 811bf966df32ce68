import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { passwordMin } from "@tollgate/contract/endpoints/users.ts";
import { useMemo } from "react";
import type { z } from "zod";
import { useT } from "#i18n/t.ts";
import { Input } from "#ui/controls/Input.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Switch } from "#ui/controls/Switch.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { Field } from "#ui/form/Field.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { NewPassword, NewUsername } from "./NewAccountFields.tsx";
import { emptySetup, setupSchema, tokenOf } from "#features/sign-in/setup/setup-form.ts";
import { setUpInstallation, setupQuery } from "#features/sign-in/setup/setup.api.ts";
import { SignInFrame } from "#widgets/sign-in/SignInFrame.tsx";

/**
 * Creates the root account of a new installation. The operator comes here by the link with a token
 * that the server prints when it starts.
 */
export function SetupScreen() {
  const t = useT();
  const state = useQuery(setupQuery);
  const isDone = state.data?.status === true;
  // The browser loads nothing when the link is opened in the tab that already shows this screen, so
  // the address is followed and the form begins again with each new token.
  const linkToken = tokenOf(`#${useLocation({ select: ({ hash }) => hash })}`);
  return (
    <SignInFrame
      title={t("entry.setupTitle")}
      description={isDone ? undefined : t("entry.setupIntro")}
    >
      {isDone ? (
        <Banner
          tone="info"
          title={t("entry.setupDone")}
          action={
            <LinkButton to="/login" variant="primary" size="sm">
              {t("signIn.title")}
            </LinkButton>
          }
        >
          {t("entry.setupDoneBody")}
        </Banner>
      ) : (
        state.data !== undefined && <SetupFields key={linkToken} linkToken={linkToken} />
      )}
      {state.isPending && <Spinner />}
      {state.error !== null && (
        <ErrorState error={state.error} onRetry={() => void state.refetch()} />
      )}
    </SignInFrame>
  );
}

function SetupFields({ linkToken }: { readonly linkToken: string }) {
  const t = useT();
  const navigate = useNavigate();
  const schema = useMemo(() => setupSchema(t), [t]);

  async function submit(typed: z.output<typeof schema>) {
    await setUpInstallation(typed);
    toast({ tone: "success", title: t("entry.setupSucceeded") });
    await navigate({ to: "/start", replace: true });
  }

  return (
    <PlainForm
      schema={schema}
      values={{ ...emptySetup, token: linkToken }}
      onSubmit={submit}
      submitLabel={t("entry.setupSubmit")}
      wide
    >
      <div className="flex flex-col gap-4">
        {linkToken === "" && (
          <>
            <Banner tone="warning" title={t("entry.setupNoToken")}>
              {t("entry.setupNoTokenBody")}
            </Banner>
            <Field name="token" label={t("entry.setupToken")} secret required>
              {({ value, onChange, ...control }) => (
                <Input
                  {...control}
                  value={String(value)}
                  onChange={(event) => onChange(event.target.value)}
                  autoComplete="off"
                  autoFocus
                  spellCheck={false}
                />
              )}
            </Field>
          </>
        )}
        <NewUsername label={t("entry.rootUsername")} />
        <NewPassword
          name="password"
          label={t("signIn.password")}
          help={t("entry.passwordHelp", { min: passwordMin })}
          // The name is filled in already, and the link has brought the token.
          autoFocus={linkToken !== ""}
        />
        <NewPassword name="confirmPassword" label={t("entry.confirmPassword")} />
        <ModeSwitch
          name="SelfUseModeEnabled"
          label={t("entry.selfUse")}
          help={t("entry.selfUseHelp")}
        />
        <ModeSwitch
          name="DemoSiteEnabled"
          label={t("entry.demoSite")}
          help={t("entry.demoSiteHelp")}
        />
      </div>
    </PlainForm>
  );
}

function ModeSwitch(props: {
  readonly name: string;
  readonly label: string;
  readonly help: string;
}) {
  return (
    <Field {...props} labelled>
      {({ value, onChange, id, disabled }) => (
        <Switch
          id={id}
          label={props.label}
          checked={value === true}
          onChange={onChange}
          disabled={disabled}
        />
      )}
    </Field>
  );
}
