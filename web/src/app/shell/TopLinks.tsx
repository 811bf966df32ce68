import { type T, useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import type { LinkTarget } from "#ui/controls/Link.tsx";
import { useStatus } from "#widgets/server/use-status.ts";

/** The target of "Console". */
const consolePath = "/token";

type TopLink = LinkTarget & { readonly label: string };

/** The links of the top bar; phones show them in the drawer. */
export function topLinks(docsLink: string, t: T): TopLink[] {
  return [
    { to: "/", label: t("app.home") },
    { to: consolePath, label: t("app.console") },
    { to: "/pricing", label: t("app.screenPricing") },
    ...(docsLink === "" ? [] : [{ href: docsLink, label: t("app.docs") }]),
    { to: "/about", label: t("app.screenAbout") },
  ];
}

export function TopLinks() {
  const t = useT();
  const links = topLinks(useStatus()?.docs_link ?? "", t);
  return (
    <nav aria-label={t("app.topNavigation")} className="ml-4 flex gap-1 max-md:hidden">
      {links.map(({ label, ...target }) => (
        <LinkButton key={label} {...target} variant="ghost">
          {label}
        </LinkButton>
      ))}
    </nav>
  );
}
