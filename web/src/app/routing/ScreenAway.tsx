import { CloudOff } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { Empty } from "#ui/feedback/Empty.tsx";
import { Spinner } from "#ui/feedback/Spinner.tsx";

/** Shown instead of a screen whose code cannot be loaded at the moment. */
export function ScreenAway() {
  const t = useT();
  return (
    <div className="pt-16" role="alert">
      <h1 className="sr-only">{t("app.screenAway")}</h1>
      <Empty
        icon={<CloudOff size={28} aria-hidden />}
        title={t("app.screenAway")}
        description={t("app.screenAwayBody")}
        action={<Spinner />}
      />
    </div>
  );
}
