import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from "react";
import { CallError } from "#api/call.ts";
import { type T, useT, withTexts } from "#i18n/t.ts";
import { useStatus } from "#widgets/server/use-status.ts";

// The check is loaded only when it is shown, because most servers require none.
const BotCheckBox = lazy(async () => ({
  default: (await withTexts("entry", import("./BotCheckBox.tsx"))).BotCheckBox,
}));

/** The bot check of a form whose call has to send a token. */
export type BotCheck = {
  /** The widget to show in the form; null: no check is required. */
  readonly field: ReactNode;
  /**
   * Returns the token to send; empty if no check is required. Each token is valid for one call, so
   * the widget is asked for another one.
   *
   * @throws CallError while the user has not passed the check yet.
   */
  readonly take: () => string;
};

/** Returns the bot check with the site key that the server uses at present. */
export function useBotCheck(): BotCheck {
  const status = useStatus();
  return useBotCheckOf(status?.turnstile_check === true ? status.turnstile_site_key : null);
}

/**
 * Returns the bot check with a given site key.
 * @param siteKey Cloudflare's key for the widget; null: no check is required.
 */
export function useBotCheckOf(siteKey: string | null): BotCheck {
  const t = useT();
  const token = useRef("");
  const [round, setRound] = useState(0);
  const keep = useCallback((next: string) => {
    token.current = next;
  }, []);
  return {
    field:
      siteKey === null ? null : (
        <Suspense>
          <BotCheckBox siteKey={siteKey} round={round} onToken={keep} />
        </Suspense>
      ),
    take() {
      if (siteKey === null) return "";
      const taken = token.current;
      if (taken === "") throw notYet(t);
      token.current = "";
      setRound(round + 1);
      return taken;
    },
  };
}

/**
 * Makes the error shown if the form is sent before the check is done: the one that the server would
 * answer.
 */
function notYet(t: T): CallError {
  return new CallError(t("widgets.botCheckWait"), new Response());
}
