import { BookOpen, House, Info, SquareTerminal, Tags, UserPlus } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { MenuDrawer } from "#ui/layout/MenuDrawer.tsx";
import { NavEntry } from "#ui/layout/NavEntry.tsx";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { LanguageMenu } from "./LanguageMenu.tsx";
import { SideMenu } from "./SideMenu.tsx";
import { ThemeMenu } from "./ThemeMenu.tsx";
import { topLinks } from "./TopLinks.tsx";
import { useScreen } from "#app/routing/use-screen.ts";

const icons: Readonly<Record<string, typeof House>> = {
  "/": House,
  "/about": Info,
  "/pricing": Tags,
  "/token": SquareTerminal,
};

/** The drawer on phones, with the side menu and the links that the top bar has no room for. */
export function PhoneDrawer({
  open,
  onClose,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const t = useT();
  return (
    <MenuDrawer label={t("app.menu")} open={open} onClose={onClose}>
      <PhoneMenu onChoose={onClose} />
    </MenuDrawer>
  );
}

function PhoneMenu({ onChoose }: { readonly onChoose: () => void }) {
  const t = useT();
  const session = useSession();
  const current = useScreen();
  const links = topLinks(useStatus(), t);
  return (
    <div className="flex min-h-full flex-col">
      {session !== null && <SideMenu folded={false} onFold={null} onChoose={onChoose} />}
      <nav aria-label={t("app.topNavigation")} className="flex flex-col gap-0.5 p-2">
        {links
          // The link to the console is left out for a signed-in user, because the side menu already
          // has it.
          .filter(({ to }) => session === null || to !== "/token")
          .map(({ label, ...target }) => {
            const Icon = icons[target.to ?? ""] ?? BookOpen;
            return (
              <NavEntry
                key={label}
                {...target}
                icon={<Icon size={16} aria-hidden />}
                label={label}
                current={target.to !== undefined && target.to === current?.path}
                onClick={onChoose}
              />
            );
          })}
        {session === null && (
          <NavEntry
            to="/register"
            icon={<UserPlus size={16} aria-hidden />}
            label={t("shell.register")}
            current={false}
            onClick={onChoose}
          />
        )}
      </nav>
      <div className="mt-auto flex gap-1 p-2">
        <ThemeMenu />
        <LanguageMenu />
      </div>
    </div>
  );
}
