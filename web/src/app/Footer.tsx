import { useEffect, useState } from "react";
import { useT } from "#i18n/t.ts";
import { SandboxedHtml } from "#ui/layout/SandboxedHtml.tsx";
import { useStatus } from "#widgets/use-status.ts";
import { cleanHtml } from "#widgets/clean-html.ts";

/** The footer an administrator wrote, as the status tells it; nothing where there is none. */
export function Footer() {
  const t = useT();
  const html = useStatus()?.footer_html ?? "";
  const [clean, setClean] = useState("");
  useEffect(() => {
    let wanted = true;
    void (html === "" ? Promise.resolve("") : cleanHtml(html)).then((made) => {
      if (wanted) setClean(made);
    });
    return () => {
      wanted = false;
    };
  }, [html]);
  if (clean === "") return null;
  return <SandboxedHtml html={clean} title={t("app.footer")} height={44} />;
}
