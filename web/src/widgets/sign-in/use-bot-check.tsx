import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from "react";
import { CallError } from "#api/call.ts";
import { type T, useT, withTexts } from "#i18n/t.ts";
import { useStatus } from "#widgets/server/use-status.ts";

// Most servers require no bot check.
const BotCheckBox = lazy(async () => ({
  default: (await withTexts("entry", import("./BotCheckBox.tsx"))).BotCheckBox,
}));

/** The bot check of a form whose call needs its token. */
export type BotCheck = {
  /** The check to show in the form; null: the server requires none. */
  readonly field: ReactNode;
  /**
   * A token to send; empty if none is needed. Each is valid for one call, so the widget then makes
   * the next one.
   * @throws CallError while the check is not done yet.
   */
  readonly take: () => string;
};

/** The check that the server has in force. */
export function useBotCheck(): BotCheck {
  const status = useStatus();
  return useBotCheckOf(status?.turnstile_check === true ? status.turnstile_site_key : null);
}

/** @param siteKey the widget's; null: no check is needed. */
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

/** The message with which the server would refuse. */
function notYet(t: T): CallError {
  return new CallError(t("widgets.botCheckWait"), new Response());
}
