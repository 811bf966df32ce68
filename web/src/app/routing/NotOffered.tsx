import { EyeOff } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Empty } from "#ui/feedback/Empty.tsx";
import { useSession } from "#widgets/server/use-status.ts";

/** Shown instead of a screen that root has hidden by self-use mode. */
export function NotOffered() {
  const t = useT();
  const session = useSession();
  return (
    <div className="pt-16">
      <h1 className="sr-only">{t("app.notOffered")}</h1>
      <Empty
        icon={<EyeOff size={28} aria-hidden />}
        title={t("app.notOffered")}
        description={t("app.notOfferedBody")}
        action={
          <LinkButton to={session === null ? "/" : "/token"}>
            {session === null ? t("app.home") : t("app.backToConsole")}
          </LinkButton>
        }
      />
    </div>
  );
}
