import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import type {
  SecondFactorNeeded,
  SignInAnswer,
} from "@tollgate/contract/endpoints/sign-in-answer.ts";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { useT, withTexts } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { offersOthers } from "#widgets/sign-in/providers.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import { LoginForm } from "./LoginForm.tsx";
import { describeOauthFailure, forgetNews, readNews } from "./news.ts";
import { OtherMethods, PasswordMark, TryAgain } from "./OtherMethods.tsx";
import { PasskeyButton } from "./PasskeyButton.tsx";
import { landingAddress } from "#widgets/sign-in/landing.ts";
import { useGoOn } from "./use-go-on.ts";
import { SignInFrame } from "#widgets/sign-in/SignInFrame.tsx";

// Loaded when they are needed, so that the form appears quickly.
const SecondFactorStep = lazy(async () => ({
  default: (await withTexts("entry", import("./SecondFactorStep.tsx"))).SecondFactorStep,
}));
const DefaultPasswordDialog = lazy(async () => ({
  default: (await withTexts("entry", import("./DefaultPasswordDialog.tsx"))).DefaultPasswordDialog,
}));

/** The sign-in screen: password, and the other sign-in methods that the server's status offers. */
export function LoginScreen() {
  const t = useT();
  const navigate = useNavigate();
  const goOn = useGoOn(landingAddress);
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const status = useStatus();
  const [needed, setNeeded] = useState<SecondFactorNeeded | null>(null);
  const [warned, setWarned] = useState<ShortUser | null>(null);
  const [news, setNews] = useState(readNews);
  useEffect(forgetNews, []);

  const take = async (answer: SignInAnswer): Promise<void> => {
    setNews(null);
    if ("require_2fa" in answer) setNeeded(answer);
    else await goOn(answer);
  };

  if (needed !== null) {
    return (
      <SignInFrame title={t("signIn.secondFactor")}>
        <Suspense>
          <SecondFactorStep
            needed={needed}
            onSignedIn={(user) => void goOn(user)}
            onBack={() => setNeeded(null)}
          />
        </Suspense>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={t("signIn.title")}>
      {search["expired"] !== undefined && <Banner tone="warning" title={t("signIn.expired")} />}
      {search["deleted"] !== undefined && <Banner tone="success" title={t("signIn.deleted")} />}
      {news?.kind === "registered" && <Banner tone="success" title={t("signIn.registered")} />}
      {news?.kind === "failed" && (
        <Banner
          tone="danger"
          title={describeOauthFailure(news.error, t)}
          action={status !== undefined && <TryAgain type={news.type} status={status} />}
        />
      )}
      {status?.setup === false && (
        <Banner tone="info" title={t("signIn.notSetUp")}>
          <Link to="/">{t("signIn.notSetUpHow")}</Link>
        </Banner>
      )}
      {status?.password_login_enabled === false ? (
        <Banner tone="info" title={t("signIn.passwordOff")}>
          {t(offersOthers(status) ? "signIn.passwordOffOthers" : "signIn.noWay")}
        </Banner>
      ) : (
        <LoginForm
          onAnswer={take}
          onDefaultPassword={setWarned}
          besideSubmit={status !== undefined && <PasswordMark status={status} />}
        />
      )}
      <p className="flex flex-wrap justify-between gap-x-4 gap-y-2 text-sm">
        {status?.register_enabled === false ? (
          <Muted>{t("signIn.registerOff")}</Muted>
        ) : (
          <Link to="/register">{t("signIn.toRegister")}</Link>
        )}
        {status?.password_login_enabled !== false && <Link to="/reset">{t("signIn.toReset")}</Link>}
        <Link to="/query">{t("signIn.toKeyQuery")}</Link>
      </p>
      {status !== undefined && (
        <>
          <PasskeyButton status={status} onSignedIn={(user) => void goOn(user)} />
          <OtherMethods status={status} onAnswer={(answer) => void take(answer)} />
        </>
      )}
      {warned !== null && (
        <Suspense>
          <DefaultPasswordDialog
            onChange={() => void navigate({ to: "/setting", replace: true })}
            onLater={() => void goOn(warned)}
          />
        </Suspense>
      )}
    </SignInFrame>
  );
}
