import { useRouterState } from "@tanstack/react-router";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { StatePage } from "#ui/layout/StatePage.tsx";
import { useSession } from "#widgets/server/use-status.ts";
import { openPalette } from "#app/palette/palette-store.ts";
import { useDocumentTitle } from "./use-document-title.ts";

/** Returns the first word of an unknown address, with which the screen fills the search. */
export function soughtOf(path: string): string {
  return /[\p{L}\p{N}]+/u.exec(path)?.[0] ?? "";
}

export function NotFoundScreen() {
  const t = useT();
  const session = useSession();
  const path = useRouterState({ select: (state) => state.location.pathname });
  useDocumentTitle(t("app.notFound"));
  return (
    <StatePage
      heading={t("app.notFound")}
      picture="lost"
      title={t("app.notFoundTitle")}
      description={t("app.notFoundBody", { path })}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <Button onClick={() => openPalette(soughtOf(path))}>{t("shell.search")}</Button>
          <LinkButton to="/">{t("app.home")}</LinkButton>
          <LinkButton to={session === null ? "/login" : "/token"} variant="primary">
            {session === null ? t("app.login") : t("app.console")}
          </LinkButton>
        </div>
      }
    />
  );
}
