import { useNavigate, useSearch } from "@tanstack/react-router";
import type {
  SecondFactorNeeded,
  SignInAnswer,
} from "@tollgate/contract/endpoints/sign-in-answer.ts";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import {
  passwordMax,
  passwordMin,
  type ShortUser,
  usernameMax,
} from "@tollgate/contract/endpoints/users.ts";
import { useEffect, useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { PlainForm } from "#ui/form/PlainForm.tsx";
import { offersOthers } from "#widgets/sign-in/providers.ts";
import { useBotCheck } from "#widgets/sign-in/use-bot-check.tsx";
import { useStatus } from "#widgets/server/use-status.ts";
import { keepInvite } from "./invite.ts";
import { MailCodeFields } from "./MailCodeFields.tsx";
import { NewPassword, NewUsername } from "./NewAccountFields.tsx";
import { keepNews } from "./news.ts";
import { OtherMethods } from "./OtherMethods.tsx";
import {
  emptyRegistration,
  type RegisterForm,
  type Registration,
  registerSchema,
} from "./register-form.ts";
import { createAccount } from "./registration.api.ts";
import { SecondFactorStep } from "./SecondFactorStep.tsx";
import { welcomeAddress } from "#widgets/sign-in/landing.ts";
import { useGoOn } from "./use-go-on.ts";
import { SignInFrame } from "#widgets/sign-in/SignInFrame.tsx";

/**
 * The screen on which visitors create an account, with name and password or with an OAuth identity.
 */
export function RegisterScreen() {
  const t = useT();
  const goOn = useGoOn(welcomeAddress);
  const { aff }: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const status = useStatus();
  const [needed, setNeeded] = useState<SecondFactorNeeded | null>(null);
  useEffect(() => keepInvite(aff), [aff]);

  const take = async (answer: SignInAnswer): Promise<void> => {
    if ("require_2fa" in answer) setNeeded(answer);
    else await goOn(answer);
  };

  if (needed !== null) {
    return (
      <SignInFrame title={t("signIn.secondFactor")}>
        <SecondFactorStep
          needed={needed}
          onSignedIn={(user) => void goOn(user)}
          onBack={() => setNeeded(null)}
        />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={t("signIn.register")}>
      {status === undefined ? (
        <Spinner />
      ) : (
        <>
          {status.register_enabled && status.password_register_enabled ? (
            <AccountFields withMail={status.email_verification} onSignedIn={goOn} />
          ) : (
            <Closed status={status} />
          )}
          <p className="text-sm">
            <Link to="/login">{t("entry.toLogin")}</Link>
          </p>
          {status.register_enabled && (
            <OtherMethods status={status} onAnswer={(answer) => void take(answer)} />
          )}
        </>
      )}
    </SignInFrame>
  );
}

/**
 * Shown if visitors cannot register with a password: the reason, and how else they get an account.
 */
function Closed({ status }: { readonly status: Status }) {
  const t = useT();
  if (!status.register_enabled) {
    return (
      <Banner tone="info" title={t("signIn.registerOff")}>
        {t("entry.registerOffBody")}
      </Banner>
    );
  }
  return (
    <Banner tone="info" title={t("entry.passwordRegisterOff")}>
      {t(offersOthers(status) ? "entry.passwordRegisterOffOthers" : "signIn.noWay")}
    </Banner>
  );
}

function AccountFields(props: {
  readonly withMail: boolean;
  readonly onSignedIn: (user: ShortUser) => Promise<void>;
}) {
  const { withMail, onSignedIn } = props;
  const t = useT();
  const navigate = useNavigate();
  const schema = useMemo(() => registerSchema(t, withMail), [t, withMail]);
  const botCheck = useBotCheck();

  async function submit(form: Registration) {
    const user = await createAccount(form, botCheck.take());
    if (user !== undefined) {
      await onSignedIn(user);
      return;
    }
    keepNews({ kind: "registered" });
    await navigate({ to: "/login" });
  }

  return (
    <PlainForm<RegisterForm, Registration>
      schema={schema}
      values={emptyRegistration}
      onSubmit={submit}
      submitLabel={t("entry.registerSubmit")}
      wide
    >
      <div className="flex flex-col gap-4">
        <NewUsername
          label={t("entry.newUsername")}
          help={t("entry.usernameTooLong", { max: usernameMax })}
          autoFocus
        />
        <NewPassword
          name="password"
          label={t("signIn.password")}
          placeholder={t("entry.passwordLimits", { min: passwordMin, max: passwordMax })}
        />
        <NewPassword name="password2" label={t("entry.confirmPassword")} />
        {withMail && <MailCodeFields takeToken={botCheck.take} />}
        {botCheck.field}
      </div>
    </PlainForm>
  );
}
