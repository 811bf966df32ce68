import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { useStatus } from "#widgets/use-status.ts";

/** Where "Console" leads. */
const consolePath = "/token";

/** The links of the top bar; phones have them on the home screen. */
export function TopLinks() {
  const t = useT();
  const status = useStatus();
  return (
    <nav aria-label={t("app.topNavigation")} className="ml-4 flex gap-1 max-md:hidden">
      <LinkButton to="/" variant="ghost">
        {t("app.home")}
      </LinkButton>
      <LinkButton to={consolePath} variant="ghost">
        {t("app.console")}
      </LinkButton>
      {status !== undefined && status.docs_link !== "" && (
        <LinkButton href={status.docs_link} variant="ghost">
          {t("app.docs")}
        </LinkButton>
      )}
    </nav>
  );
}
