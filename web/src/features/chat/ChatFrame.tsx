import { useEffect, useLayoutEffect, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Spinner } from "#ui/feedback/Spinner.tsx";

/**
 * Milliseconds after which a chat client that is still loading counts as slow, and the user gets
 * advice.
 */
const slowMs = 12_000;

/**
 * Shows a third-party chat client inside the console, in a frame. The client keeps its own origin,
 * because it needs storage for its conversations; as this is never the console's origin, the client
 * cannot reach the console.
 *
 * @param url the client's address, with the token's key in it. The caller must give a `key` prop
 * that changes with `url`, because a new frame leaves no entry with the key in the tab's history.
 */
export function ChatFrame(props: { readonly url: string; readonly name: string }) {
  const { url, name } = props;
  const t = useT();
  const [state, setState] = useState<"loading" | "slow" | "shown">("loading");
  const isRefused = useRefused(url);
  useEffect(() => {
    const timer = setTimeout(
      () => setState((before) => (before === "loading" ? "slow" : before)),
      slowMs,
    );
    return () => clearTimeout(timer);
  }, []);
  if (isRefused) {
    return (
      <Empty
        picture="closed"
        title={t("chat.refusedTitle", { name })}
        description={t("chat.refusedBody")}
        action={<Button onClick={() => location.reload()}>{t("chat.reload")}</Button>}
      />
    );
  }
  return (
    <div className="relative flex min-h-0 flex-1 flex-col" aria-busy={state !== "shown"}>
      {state === "slow" && (
        <div className="px-4 pb-2 max-md:px-3">
          <Banner title={t("chat.slow", { name })} />
        </div>
      )}
      {state !== "shown" && <ChatLoading name={name} />}
      <iframe
        title={name}
        src={url}
        sandbox="allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-same-origin allow-scripts"
        allow="clipboard-write"
        referrerPolicy="no-referrer"
        onLoad={() => setState("shown")}
        className="relative block w-full flex-1"
      />
    </div>
  );
}

/** Says that the client is loading, at the place where it will appear. */
export function ChatLoading({ name }: { readonly name: string }) {
  const t = useT();
  return (
    <p className="absolute inset-x-0 top-1/3 flex items-center justify-center gap-2">
      <Spinner />
      <Muted>{t("chat.loading", { name })}</Muted>
    </p>
  );
}

/**
 * Whether the page's content security policy blocks the client's address. It does if the client was
 * configured after the page was loaded.
 */
function useRefused(url: string): boolean {
  const [isRefused, setRefused] = useState(false);
  // A layout effect runs before the browser loads the frame and checks its address, so the listener
  // misses nothing.
  useLayoutEffect(() => {
    const { origin } = new URL(url);
    const onViolation = (event: SecurityPolicyViolationEvent): void => {
      if (event.effectiveDirective !== "frame-src") return;
      if (URL.parse(event.blockedURI)?.origin === origin) setRefused(true);
    };
    document.addEventListener("securitypolicyviolation", onViolation);
    return () => document.removeEventListener("securitypolicyviolation", onViolation);
  }, [url]);
  return isRefused;
}
