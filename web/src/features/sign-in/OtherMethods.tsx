import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { SignInAnswer } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { useT, withTexts } from "#i18n/t.ts";
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

// The dialog is loaded when it is first opened, because the code for dialogs is a third of the
// console's code.
const WeChatDialog = lazy(async () => ({
  default: (await withTexts("entry", import("./WeChatDialog.tsx"))).WeChatDialog,
}));

/**
 * The buttons for sign-in by OAuth providers, WeChat and Telegram, as far as the server offers
 * them.
 */
export function OtherMethods(props: {
  readonly status: Status;
  readonly onAnswer: (answer: SignInAnswer) => void;
}) {
  const { status, onAnswer } = props;
  const t = useT();
  const [weChat, setWeChat] = useState<"unopened" | "open" | "closed">("unopened");
  const { going, leaveFor, failure } = useDeparture(status);
  if (!offersOthers(status)) return null;
  return (
    <section aria-label={t("signIn.otherWays")} className="flex flex-col gap-3">
      <p className="text-center text-sm">
        <Muted>{t("signIn.otherWays")}</Muted>
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
            {t("signIn.weChat")}
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

/** Marks the password as the method used last; shown only if there are other methods. */
export function PasswordMark({ status }: { readonly status: Status }) {
  return offersOthers(status) ? (
    <p className="text-center">
      <LastUsed method="password" />
    </p>
  ) : null;
}

/**
 * A button that opens a provider's page again after a failure. `type` is the provider's name in
 * addresses.
 */
export function TryAgain({ type, status }: { readonly type: string; readonly status: Status }) {
  const t = useT();
  const { going, leaveFor, failure } = useDeparture(status);
  const provider = redirectProviders.find((known) => known === type);
  if (provider === undefined || !offeredProviders(status).includes(provider)) return null;
  return (
    <>
      {failure}
      <Button size="sm" loading={going === provider} onClick={() => void leaveFor(provider)}>
        {t("signIn.tryAgainBy", { name: providerName(provider) })}
      </Button>
    </>
  );
}

/**
 * Opens a provider's page in a new window. The screen continues when the user has signed in there
 * (`onSignInElsewhere`).
 */
function useDeparture(status: Status) {
  const t = useT();
  const [going, setGoing] = useState<RedirectProvider | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stopWaiting = useRef(() => {});
  useEffect(() => () => stopWaiting.current(), []);

  async function leaveFor(provider: RedirectProvider) {
    setGoing(provider);
    setError(null);
    try {
      const visit = await beginOauth(provider, status);
      stopWaiting.current();
      // Nothing needs to be done when the provider's window is done: it stores the session, and
      // the screen notices that.
      stopWaiting.current = openProvider(visit, () => {});
    } catch (thrown) {
      setError(thrown);
    } finally {
      setGoing(null);
    }
  }

  // Errors are shown here and not as toasts, because toasts are loaded only after the sign-in.
  const failure =
    error === null ? null : <Banner tone="danger" title={describeFailure(error, t).title} />;
  return { going, leaveFor, failure };
}
