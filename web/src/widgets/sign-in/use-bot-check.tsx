import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from "react";
import { CallError } from "#api/call.ts";
import { type T, useT, withTexts } from "#i18n/t.ts";
import { useStatus } from "#widgets/server/use-status.ts";

// Most servers ask for none.
const BotCheckBox = lazy(async () => ({
  default: (await withTexts("entry", import("./BotCheckBox.tsx"))).BotCheckBox,
}));

/** The bot check of a form whose call the server takes only from people. */
export type BotCheck = {
  /** Stands in the form; null: the server asks for none. */
  readonly field: ReactNode;
  /**
   * A token to send along; empty where none is asked for. Each is good for one call, so that the
   * next one begins to come.
   *
   * @throws CallError while the check is not done yet.
   */
  readonly take: () => string;
};

/** As the server has it in force. */
export function useBotCheck(): BotCheck {
  const status = useStatus();
  return useBotCheckOf(status?.turnstile_check === true ? status.turnstile_site_key : null);
}

/** @param siteKey of the widget; null: none is asked for. */
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

/** As the server would refuse it. */
function notYet(t: T): CallError {
  return new CallError(t("widgets.botCheckWait"), new Response());
}
