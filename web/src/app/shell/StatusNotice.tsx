import { role } from "@tollgate/contract/users.ts";
import { CallError } from "#api/call.ts";
import { loadStatus } from "#api/status.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { useSession, useStatus, useStatusState } from "#widgets/server/use-status.ts";
import { useScreen } from "#app/routing/use-screen.ts";
import { signInFault } from "./sign-in-fault.ts";

/** Shown while the server's status cannot be read, with the reason, and while sign-in is not safe. */
export function StatusNotice() {
  return (
    <>
      <FailedStatus />
      <UnsafeSignIn />
    </>
  );
}

function UnsafeSignIn() {
  const t = useT();
  const isSignIn = useScreen()?.frame === "light";
  const isRoot = (useSession()?.role ?? 0) >= role.enum.root;
  const fault = signInFault(location, useStatus()?.secure_cookies ?? true);
  // Shown to those who are about to type a password, and to root, who can solve the problem.
  if (fault === "none" || !(isRoot || (isSignIn && fault === "plain-http"))) return null;
  const texts = {
    "plain-http": { title: t("app.plainHttp"), body: t("app.plainHttpBody") },
    "unknown-proxy": { title: t("app.unknownProxy"), body: t("app.unknownProxyBody") },
  } as const;
  const { title, body } = texts[fault];
  return (
    <div className="px-4 py-2 max-md:px-2">
      <Banner tone="warning" title={title}>
        {body}
      </Banner>
    </div>
  );
}

function FailedStatus() {
  const t = useT();
  const state = useStatusState();
  const error = state.kind === "loading" ? null : state.error;
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
