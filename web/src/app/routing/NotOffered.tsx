import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { StatePage } from "#ui/layout/StatePage.tsx";
import { useSession } from "#widgets/server/use-status.ts";

/** Shown instead of a screen that root has hidden by self-use mode. */
export function NotOffered() {
  const t = useT();
  const session = useSession();
  return (
    <StatePage
      picture="closed"
      title={t("app.notOffered")}
      description={t("app.notOfferedBody")}
      action={
        <LinkButton to={session === null ? "/" : "/token"}>
          {session === null ? t("app.home") : t("app.backToConsole")}
        </LinkButton>
      }
    />
  );
}
