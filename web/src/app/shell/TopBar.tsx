import { Menu as MenuIcon } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { AccountMenu } from "./AccountMenu.tsx";
import { Brand } from "./Brand.tsx";
import { LanguageMenu } from "./LanguageMenu.tsx";
import { NoticeBell } from "./NoticeBell.tsx";
import { PaletteButton } from "#app/palette/PaletteButton.tsx";
import { ThemeMenu } from "./ThemeMenu.tsx";
import { TopLinks } from "./TopLinks.tsx";

/**
 * The bar at the top of every screen. `onMenu` opens the drawer; its button shows on phones and
 * wherever the links have no room.
 */
export function TopBar({ onMenu }: { readonly onMenu: () => void }) {
  const t = useT();
  const session = useSession();
  // Before the set-up nobody has an account, or could register one.
  const isSetUp = useStatus()?.setup !== false;
  return (
    <>
      <span className="lg:hidden">
        <IconButton
          label={t("app.menuOpen")}
          icon={<MenuIcon size={18} aria-hidden />}
          onClick={onMenu}
        />
      </span>
      <Brand />
      <TopLinks />
      <div className="ml-auto flex shrink-0 items-center gap-1">
        <PaletteButton />
        <NoticeBell />
        <span className="contents max-md:hidden">
          <ThemeMenu />
          <LanguageMenu />
        </span>
        {session === null && isSetUp && (
          <>
            <span className="max-md:hidden">
              <LinkButton to="/register">{t("shell.register")}</LinkButton>
            </span>
            <LinkButton to="/login" variant="primary">
              {t("app.login")}
            </LinkButton>
          </>
        )}
        {session !== null && <AccountMenu user={session} />}
      </div>
    </>
  );
}
