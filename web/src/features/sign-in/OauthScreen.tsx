import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { SecondFactorNeeded } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { readSession } from "#api/session.ts";
import { useT } from "#i18n/t.ts";
import { below } from "#page/base-path.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { handBack } from "#widgets/sign-in/provider-window.ts";
import { offersProvider, providerName, redirectProviders } from "#widgets/sign-in/providers.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import { landingAddress } from "#widgets/sign-in/landing.ts";
import { keepLastMethod } from "./last-method.ts";
import { describeOauthFailure, keepNews } from "./news.ts";
import { beginOauth, type Brought, endOauth, endTelegram, telegramType } from "./oauth.api.ts";
import { SecondFactorStep } from "./SecondFactorStep.tsx";
import { SignInFrame } from "#widgets/sign-in/SignInFrame.tsx";

/**
 * The screen at the address to which an OAuth provider sends the browser: completes the sign-in, or
 * binds the identity to the signed-in user.
 */
export function OauthScreen() {
  const t = useT();
  const navigate = useNavigate();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const state = broughtBy(search).state ?? "";
  const [needed, setNeeded] = useState<SecondFactorNeeded | null>(null);
  const [isHandedBack, setHandedBack] = useState(false);
  const status = useStatus();
  const isLeft = useRef(false);
  const type = /^\/oauth\/([^/]+)/.exec(path)?.[1] ?? "";
  const isOffered = type === telegramType || (status !== undefined && offersProvider(status, type));
  const name = type === telegramType ? "Telegram" : providerName(type);

  const goOnHere = async (user: ShortUser): Promise<void> => {
    await navigate({ href: below(await landingAddress(user)), replace: true });
  };
  const goOn = async (user: ShortUser): Promise<void> => {
    if (await handBack(state)) setHandedBack(true);
    else await goOnHere(user);
  };

  async function finish() {
    try {
      const answer =
        type === telegramType
          ? await endTelegram(search, t)
          : await endOauth(type, broughtBy(search));
      if (answer !== undefined) keepLastMethod(type);
      if (isLeft.current) return;
      if (answer === undefined) {
        if (await handBack(state)) {
          setHandedBack(true);
          return;
        }
        toast({ tone: "success", title: t("entry.bound", { name }) });
        await navigate({ to: "/setting", replace: true });
      } else if ("require_2fa" in answer) setNeeded(answer);
      else await goOn(answer);
    } catch (error) {
      if (!isLeft.current) await leaveBy(error);
    }
  }

  async function leaveBy(error: unknown) {
    if (readSession() === null) {
      keepNews({ kind: "failed", type, error });
      await navigate({ to: "/login", replace: true });
    } else {
      toast({
        tone: "danger",
        title: describeOauthFailure(error, t),
        action: isOffered
          ? { label: t("entry.beginAgain"), onClick: () => void beginAgain() }
          : undefined,
      });
      await navigate({ to: "/setting", replace: true });
    }
  }

  /** Opens the provider's page again, in this window, because this window exists only for that. */
  async function beginAgain() {
    const provider = redirectProviders.find((known) => known === type);
    if (provider === undefined || status === undefined) {
      await navigate({ to: "/setting", search: { open: telegramType } });
      return;
    }
    try {
      window.location.assign((await beginOauth(provider, status)).address);
    } catch (error) {
      toastError(error);
    }
  }

  function leave() {
    isLeft.current = true;
    void navigate({ to: readSession() === null ? "/login" : "/setting", replace: true });
  }

  // Runs `finish` only once, because the provider's code is valid once. The component can be drawn
  // again: once more at the next address, when the browser leaves for a screen with another frame.
  const isBegun = useRef(false);
  useEffect(() => {
    if (isBegun.current || type === "") return;
    isBegun.current = true;
    void finish();
  });

  if (isHandedBack) {
    return <HandedBack onGoOn={() => void navigate({ to: "/token", replace: true })} />;
  }
  return needed === null ? (
    <SignInFrame title={t("entry.oauthTitle", { name })}>
      <p role="status" className="flex items-center gap-2">
        <Spinner />
        {t("entry.oauthWaiting", { name })}
      </p>
      <div>
        <Button onClick={leave}>{t("entry.cancel")}</Button>
      </div>
    </SignInFrame>
  ) : (
    <SignInFrame title={t("signIn.secondFactor")}>
      <SecondFactorStep
        needed={needed}
        onSignedIn={(user) => void goOn(user)}
        onBack={() => void navigate({ to: "/login", replace: true })}
      />
    </SignInFrame>
  );
}

/**
 * Says that the sign-in is complete and the window can be closed, for browsers that do not let it
 * close itself.
 */
function HandedBack({ onGoOn }: { readonly onGoOn: () => void }) {
  const t = useT();
  return (
    <SignInFrame title={t("entry.handedBack")} description={t("entry.handedBackBody")}>
      <div>
        <Button onClick={onGoOn}>{t("entry.goOnHere")}</Button>
      </div>
    </SignInFrame>
  );
}

function broughtBy(search: Readonly<Record<string, unknown>>): Brought {
  const read = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    code: read("code"),
    state: read("state"),
    error: read("error"),
    error_description: read("error_description"),
  };
}
