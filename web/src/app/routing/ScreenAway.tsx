import { useT } from "#i18n/t.ts";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { StatePage } from "#ui/layout/StatePage.tsx";

/** Shown instead of a screen whose code cannot be loaded at the moment. */
export function ScreenAway() {
  const t = useT();
  return (
    <StatePage
      urgent
      picture="away"
      title={t("app.screenAway")}
      description={t("app.screenAwayBody")}
      action={<Spinner />}
    />
  );
}
