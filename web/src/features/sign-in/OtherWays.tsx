import { useEffect, useState } from "react";
import type { SignInAnswer } from "contract/second-factor.ts";
import type { Status } from "contract/status.ts";
import type { ShortUser } from "contract/users.ts";
import { readSession } from "#api/session.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { beginOauth } from "./oauth.api.ts";
import { offeredProviders, providerName, type RedirectProvider } from "./providers.ts";
import { WeChatDialog } from "./WeChatDialog.tsx";

/** Ways in by an account elsewhere, as far as the server offers any. */
export function OtherWays(props: {
  readonly status: Status;
  readonly onAnswer: (answer: SignInAnswer) => void;
}) {
  const { status, onAnswer } = props;
  const t = useT();
  const [going, setGoing] = useState<RedirectProvider | null>(null);
  const [isAway, setAway] = useState(false);
  const [weChatOpen, setWeChatOpen] = useState(false);
  useReturn(isAway, onAnswer);
  const providers = offeredProviders(status);
  if (providers.length === 0 && !status.wechat_login) return null;

  async function leaveFor(provider: RedirectProvider) {
    setGoing(provider);
    try {
      const address = await beginOauth(provider, status);
      // The page here stays; where windows are blocked it goes itself.
      if (window.open(address, "_blank") === null) window.location.assign(address);
      setAway(true);
    } catch (error) {
      toastError(error);
    } finally {
      setGoing(null);
    }
  }

  return (
    <section aria-label={t("signIn.otherWays")} className="flex flex-col gap-3">
      <p className="text-center text-sm">
        <Muted>{t("signIn.otherWays")}</Muted>
      </p>
      <div className="grid grid-cols-2 gap-2">
        {providers.map((provider) => (
          <Button
            key={provider}
            loading={going === provider}
            onClick={() => void leaveFor(provider)}
          >
            {providerName(provider)}
          </Button>
        ))}
        {status.wechat_login && (
          <Button onClick={() => setWeChatOpen(true)}>{t("signIn.weChat")}</Button>
        )}
      </div>
      {status.wechat_login && (
        <WeChatDialog
          open={weChatOpen}
          picture={status.wechat_qrcode}
          onClose={() => setWeChatOpen(false)}
          onAnswer={onAnswer}
        />
      )}
    </section>
  );
}

/**
 * Whoever signed in in the window that was opened is signed in here as well. A sign-in here is
 * none of it, which goes on by itself.
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
