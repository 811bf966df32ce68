import { type RefObject, useEffect, useRef, useState } from "react";
import { type T, useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { loadTurnstile, type Turnstile } from "./turnstile.ts";

type Fault = { readonly kind: "blocked" | "unsupported" } | { readonly code: string };

const languages = { zh: "zh-cn", en: "en" } as const;

type Box = {
  readonly siteKey: string;
  /** A counter: when it changes, the widget is asked for another token. */
  readonly round: number;
  /** Called with each new token; with an empty text when the previous token is no longer valid. */
  readonly onToken: (token: string) => void;
};

/** Shows Cloudflare's bot check in the page's theme and language, or the error that prevents it. */
export function BotCheckBox(box: Box) {
  const t = useT();
  const place = useRef<HTMLDivElement>(null);
  const { fault, again } = useWidget(place, box);
  return (
    <section aria-label={t("entry.botCheck")} className="flex flex-col gap-2">
      <div ref={place} />
      {fault !== null && (
        <Banner
          tone="danger"
          title={faultTitle(fault, t)}
          action={
            "kind" in fault && fault.kind === "unsupported" ? undefined : (
              <Button size="sm" onClick={again}>
                {t("ui.retry")}
              </Button>
            )
          }
        />
      )}
    </section>
  );
}

function useWidget(place: RefObject<HTMLDivElement | null>, { siteKey, round, onToken }: Box) {
  const language = languages[useLanguage()];
  const theme = useTheme();
  const [fault, setFault] = useState<Fault | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [shown, setShown] = useState<{ turnstile: Turnstile; id: string } | null>(null);

  useEffect(() => {
    let isGone = false;
    let remove = (): void => undefined;
    const putUp = (turnstile: Turnstile): void => {
      if (isGone || place.current === null) return;
      const id = turnstile.render(place.current, {
        sitekey: siteKey,
        theme,
        language,
        size: "flexible",
        callback(token) {
          setFault(null);
          onToken(token);
        },
        // No reset is needed here: an expired widget asks for another token by itself.
        "expired-callback": () => onToken(""),
        "timeout-callback": () => onToken(""),
        "error-callback"(code) {
          onToken("");
          setFault({ code: String(code) });
          return true;
        },
        "unsupported-callback": () => setFault({ kind: "unsupported" }),
      });
      if (typeof id !== "string") return;
      remove = () => turnstile.remove(id);
      setShown({ turnstile, id });
    };
    loadTurnstile().then(putUp, () => isGone || setFault({ kind: "blocked" }));
    return () => {
      isGone = true;
      onToken("");
      setShown(null);
      remove();
    };
  }, [place, siteKey, theme, language, attempt, onToken]);

  const asked = useRef(round);
  useEffect(() => {
    if (asked.current === round) return;
    asked.current = round;
    shown?.turnstile.reset(shown.id);
  }, [round, shown]);

  return {
    fault,
    again() {
      // If the check was switched on after this page had loaded, the page's content security policy
      // blocks the script until the page is loaded again.
      if (attempt > 0 && fault !== null && "kind" in fault) location.reload();
      setFault(null);
      setAttempt(attempt + 1);
    },
  };
}

function faultTitle(fault: Fault, t: T): string {
  if ("code" in fault) {
    // Codes 110000 to 110299 mean a wrong site key or domain. Source: Cloudflare's list of
    // client-side errors, read 2026-11-21.
    return /^110[0-2]/.test(fault.code)
      ? t("entry.botCheckMisset", { code: fault.code })
      : t("entry.botCheckFailed", { code: fault.code });
  }
  return fault.kind === "blocked" ? t("entry.botCheckBlocked") : t("entry.botCheckUnsupported");
}

function useTheme(): "dark" | "light" {
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => {
    const observer = new MutationObserver(() => setTheme(readTheme()));
    observer.observe(document.documentElement, { attributeFilter: ["class"] });
    return () => observer.disconnect();
  }, []);
  return theme;
}

function readTheme(): "dark" | "light" {
  return document.documentElement.classList.contains("dark") ? "dark" : "light";
}
