import { lazy, Suspense, useEffect } from "react";
import { CallError } from "#api/call.ts";
import { loadStatus } from "#api/status.ts";
import { useT, withTexts } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { useSession, useStatus, useStatusState } from "#widgets/server/use-status.ts";
import { signInFault } from "./sign-in-fault.ts";

/** Few installations show these banners, so their code is loaded separately. */
const TourNotice = lazy(async () => ({
  default: (await withTexts("shell", import("#app/TourNotice.tsx"))).TourNotice,
}));
const UnsafeSignIn = lazy(async () => ({
  default: (await withTexts("shell", import("./UnsafeSignIn.tsx"))).UnsafeSignIn,
}));

/**
 * The banners about the server: that its status cannot be read, that this is a tour of a demo, and
 * that sign-in is not safe.
 */
export function StatusNotice() {
  const isTour = useSession()?.only_reads === true;
  const fault = signInFault(location, useStatus()?.secure_cookies ?? true);
  return (
    <>
      <FailedStatus />
      {isTour && (
        <Suspense>
          <TourNotice />
        </Suspense>
      )}
      {fault !== "none" && (
        <Suspense>
          <UnsafeSignIn fault={fault} />
        </Suspense>
      )}
    </>
  );
}

/** Milliseconds between two attempts to read a status that could not be read. */
const againMs = 5_000;

/**
 * Says that the status cannot be read, and goes when it can be: it is read again from time to time,
 * and at once when the browser is back online.
 */
function FailedStatus() {
  const t = useT();
  const state = useStatusState();
  const error = state.kind === "loading" ? null : state.error;
  const isFailed = error !== null;
  useEffect(() => {
    if (!isFailed) return undefined;
    const readAgain = () => void loadStatus();
    const timer = setInterval(readAgain, againMs);
    window.addEventListener("online", readAgain);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", readAgain);
    };
  }, [isFailed]);
  if (error === null) return null;
  const away = error instanceof CallError && error.status === 0;
  return (
    <div className="px-4 py-2 max-md:px-2">
      <Banner
        tone="danger"
        title={away ? t("app.statusAway") : t("app.statusFailed")}
        action={
          <Button size="sm" onClick={() => void loadStatus()}>
            {t("app.retry")}
          </Button>
        }
      />
    </div>
  );
}
