import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { StatePage } from "#ui/layout/StatePage.tsx";
import { useSelfUse, useSession } from "#widgets/server/use-status.ts";

/** Shown instead of a screen that root has switched off. */
export function NotOffered() {
  const t = useT();
  const session = useSession();
  const selfUse = useSelfUse();
  return (
    <StatePage
      picture="closed"
      title={t("app.notOffered")}
      description={t(selfUse ? "app.notOfferedBody" : "app.switchedOffBody")}
      action={
        <LinkButton to={session === null ? "/" : "/token"}>
          {session === null ? t("app.home") : t("app.backToConsole")}
        </LinkButton>
      }
    />
  );
}
