import { useT } from "#i18n/t.ts";
import { SandboxedHtml } from "#ui/layout/SandboxedHtml.tsx";
import { useCleanHtml } from "#widgets/content/clean-html.ts";
import { useStatus } from "#widgets/server/use-status.ts";

/**
 * The footer that the administrator set, read from the server's status; draws nothing if none is
 * set.
 */
export function Footer() {
  const t = useT();
  const clean = useCleanHtml(useStatus()?.footer_html ?? "");
  if (clean === null || clean === "") return null;
  return <SandboxedHtml html={clean} title={t("app.footer")} height={44} />;
}
