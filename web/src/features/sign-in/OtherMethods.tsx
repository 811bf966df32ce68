import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { SignInAnswer } from "@tollgate/contract/sign-in-answer.ts";
import type { Status } from "@tollgate/contract/status.ts";
import type { ShortUser } from "@tollgate/contract/users.ts";
import { readSession } from "#api/session.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { describeFailure } from "#widgets/server/server-message.ts";
import { openProvider } from "#widgets/sign-in/provider-window.ts";
import {
  offersOthers,
  offeredProviders,
  providerName,
  type RedirectProvider,
  redirectProviders,
} from "#widgets/sign-in/providers.ts";
import { TelegramButton } from "#widgets/sign-in/TelegramButton.tsx";
import { LastUsed } from "./LastUsed.tsx";
import { beginOauth } from "./oauth.api.ts";

// Dialogs are a third of the console's code: loaded with the first press.
const WeChatDialog = lazy(async () => ({
  default: (await import("./WeChatDialog.tsx")).WeChatDialog,
}));

/** Sign-in by the OAuth providers, passkeys and WeChat that the server offers. */
export function OtherMethods(props: {
  readonly status: Status;
  readonly onAnswer: (answer: SignInAnswer) => void;
}) {
  const { status, onAnswer } = props;
  const t = useT();
  const [weChat, setWeChat] = useState<"unopened" | "open" | "closed">("unopened");
  const { going, leaveFor, failure } = useDeparture(status, onAnswer);
  if (!offersOthers(status)) return null;
  return (
    <section aria-label={t("entry.otherWays")} className="flex flex-col gap-3">
      <p className="text-center text-sm">
        <Muted>{t("entry.otherWays")}</Muted>
      </p>
      <div className="grid grid-cols-2 gap-2 [&>:last-child:nth-child(odd)]:col-span-2">
        {offeredProviders(status).map((provider) => (
          <Button
            key={provider}
            loading={going === provider}
            onClick={() => void leaveFor(provider)}
          >
            {providerName(provider)}
            <LastUsed method={provider} />
          </Button>
        ))}
        {status.wechat_login && (
          <Button onClick={() => setWeChat("open")}>
            {t("entry.weChat")}
            <LastUsed method="wechat" />
          </Button>
        )}
      </div>
      {status.telegram_oauth && (
        <div className="flex flex-col items-center gap-2">
          <TelegramButton />
          <LastUsed method="telegram" />
        </div>
      )}
      {failure}
      {weChat !== "unopened" && (
        <Suspense>
          <WeChatDialog
            open={weChat === "open"}
            picture={status.wechat_qrcode}
            onClose={() => setWeChat("closed")}
            onAnswer={onAnswer}
          />
        </Suspense>
      )}
    </section>
  );
}

/** Marks the password as used last, if there are other methods. */
export function PasswordMark({ status }: { readonly status: Status }) {
  return offersOthers(status) ? (
    <p className="text-center">
      <LastUsed method="password" />
    </p>
  ) : null;
}

/** Tries a provider again after a failure. `type`: its name in the address. */
export function TryAgain(props: {
  readonly type: string;
  readonly status: Status;
  readonly onAnswer: (answer: SignInAnswer) => void;
}) {
  const { type, status, onAnswer } = props;
  const t = useT();
  const { going, leaveFor, failure } = useDeparture(status, onAnswer);
  const provider = redirectProviders.find((known) => known === type);
  if (provider === undefined || !offeredProviders(status).includes(provider)) return null;
  return (
    <>
      {failure}
      <Button size="sm" loading={going === provider} onClick={() => void leaveFor(provider)}>
        {t("entry.tryAgainBy", { name: providerName(provider) })}
      </Button>
    </>
  );
}

/** Opens a provider's page; this page goes on when the sign-in in that window succeeds. */
function useDeparture(status: Status, onAnswer: (user: ShortUser) => void) {
  const t = useT();
  const [going, setGoing] = useState<RedirectProvider | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isAway, setAway] = useState(false);
  const stopWaiting = useRef(() => {});
  useEffect(() => () => stopWaiting.current(), []);
  useReturn(isAway, onAnswer);

  async function leaveFor(provider: RedirectProvider) {
    setGoing(provider);
    setError(null);
    try {
      const visit = await beginOauth(provider, status);
      stopWaiting.current();
      // Both windows share the session.
      stopWaiting.current = openProvider(visit, () => {});
      setAway(true);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setGoing(null);
    }
  }

  // Shown here instead of as a toast: toasts are loaded with the console, after the sign-in.
  const failure =
    error === null ? null : <Banner tone="danger" title={describeFailure(error, t).title} />;
  return { going, leaveFor, failure };
}

/**
 * Continues when somebody signs in in the opened window. A sign-in on this page is ignored here:
 * the form handles it.
 */
function useReturn(isAway: boolean, onAnswer: (user: ShortUser) => void): void {
  useEffect(() => {
    if (!isAway) return undefined;
    const look = (): void => {
      const session = readSession();
      if (session !== null) onAnswer(session);
    };
    window.addEventListener("storage", look);
    return () => window.removeEventListener("storage", look);
  }, [isAway, onAnswer]);
}
