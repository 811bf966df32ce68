import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { type T, useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import type { LinkTarget } from "#ui/controls/Link.tsx";
import { useStatus } from "#widgets/server/use-status.ts";

/** The address that the link "Console" leads to. */
const consolePath = "/token";

type TopLink = LinkTarget & { readonly label: string };

/** Returns the links of the top bar; where the bar has no room for them, the drawer shows them. */
export function topLinks(status: Status | undefined, t: T): TopLink[] {
  const docsLink = status?.docs_link ?? "";
  return [
    { to: "/", label: t("app.home") },
    { to: consolePath, label: t("app.console") },
    ...(status?.self_use_mode_enabled === true
      ? []
      : [{ to: "/pricing" as const, label: t("app.screenPricing") }]),
    ...(docsLink === "" ? [] : [{ href: docsLink, label: t("app.docs") }]),
    { to: "/about", label: t("app.screenAbout") },
  ];
}

/**
 * Shows the links. `isLight`: on the sign-in screens, which have no drawer but always room for the
 * links.
 */
export function TopLinks({ isLight = false }: { readonly isLight?: boolean }) {
  const t = useT();
  const links = topLinks(useStatus(), t);
  return (
    <nav
      aria-label={t("app.topNavigation")}
      className={`ml-4 flex shrink-0 gap-1 ${isLight ? "max-md:hidden" : "max-lg:hidden"}`}
    >
      {links.map(({ label, ...target }) => (
        <LinkButton key={label} {...target} variant="ghost">
          {label}
        </LinkButton>
      ))}
    </nav>
  );
}
