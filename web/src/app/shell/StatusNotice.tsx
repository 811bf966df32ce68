import { CallError } from "#api/call.ts";
import { loadStatus } from "#api/status.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { useStatusState } from "#widgets/server/use-status.ts";

/** Shown while the server's status cannot be read, with the reason. */
export function StatusNotice() {
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
