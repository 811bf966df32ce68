import { useEffect, useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { loadOutside } from "./outside-script.ts";
import { keepTelegramReturn, telegramLastsMs } from "./telegram-return.ts";
import { useSession, useStatus } from "#widgets/server/use-status.ts";

export const telegramScript = "https://telegram.org/js/telegram-widget.js?22";

/**
 * The interval in which the nonce is replaced, in milliseconds: half its lifetime, so that a click
 * never uses an expired one.
 */
const renewMs = telegramLastsMs / 2;

/**
 * Telegram's own button: signs in a visitor, or binds the account to the signed-in user. Telegram
 * sends the browser to `/oauth/telegram`. Source: https://core.telegram.org/widgets/login-legacy,
 * read 2026-11-21. The callback that is also described there is not used: it makes Telegram's
 * script evaluate a text as code, which our content security policy forbids.
 */
export function TelegramButton(props: {
  /** The state by which the user has proven to own the account; absent or empty: none. */
  readonly proof?: string;
}) {
  const { proof = "" } = props;
  const t = useT();
  const botName = useStatus()?.telegram_bot_name ?? "";
  const userId = useSession()?.id ?? 0;
  const place = useRef<HTMLDivElement>(null);
  const [isBlocked, setBlocked] = useState(false);
  const [round, setRound] = useState(0);

  useEffect(() => {
    const shown = place.current;
    if (shown === null || botName === "") return undefined;
    let isGone = false;
    const mark = keepTelegramReturn(userId, Date.now(), proof);
    loadOutside(shown, telegramScript, {
      "data-telegram-login": botName,
      "data-size": "large",
      "data-radius": "6",
      "data-userpic": "false",
      "data-auth-url": `${ownAddress()}/oauth/telegram?state=${mark}`,
    }).then(
      () => isGone || setBlocked(false),
      () => isGone || setBlocked(true),
    );
    const timer = setTimeout(() => setRound(round + 1), renewMs);
    return () => {
      isGone = true;
      clearTimeout(timer);
      shown.replaceChildren();
    };
  }, [botName, userId, proof, round]);

  if (botName === "") return null;
  return (
    <div className="flex flex-col items-center gap-2">
      <div
        ref={place}
        role="group"
        aria-label="Telegram"
        className={isBlocked ? "hidden" : "flex min-h-10 justify-center"}
      />
      {isBlocked && <Banner tone="warning" title={t("widgets.telegramBlocked")} />}
    </div>
  );
}
