import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { type TextKey, useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { NavEntry, NavGroup } from "#ui/layout/NavEntry.tsx";
import { useSession, useStatus } from "#widgets/use-status.ts";
import type { MenuGroup } from "./screens.ts";
import { menuEntries } from "./side-menu-entries.ts";
import { useScreen } from "./use-screen.ts";

/** In the order in which they stand; null: without a heading. */
const groups: readonly (readonly [MenuGroup, TextKey | null])[] = [
  ["main", null],
  ["manage", "app.menuManage"],
];

export function SideMenu(props: {
  readonly folded: boolean;
  /** Null: it cannot be folded, as in the drawer. */
  readonly onFold: (() => void) | null;
  /** An entry was chosen, maybe that of the present screen. */
  readonly onChoose?: () => void;
}) {
  const { folded, onFold, onChoose } = props;
  const t = useT();
  const session = useSession();
  const status = useStatus();
  const current = useScreen();
  return (
    <>
      <nav aria-label={t("app.menu")} className="flex-1 p-2">
        {groups.map(([group, title]) => {
          const entries = menuEntries(group, session, status);
          if (entries.length === 0) return null;
          return (
            <NavGroup key={group} title={title === null ? null : t(title)} folded={folded}>
              {entries.map(({ screen, Icon }) => (
                <NavEntry
                  key={screen.path}
                  to={screen.path}
                  icon={<Icon size={16} aria-hidden />}
                  label={t(screen.title)}
                  current={screen === current}
                  folded={folded}
                  onClick={onChoose}
                />
              ))}
            </NavGroup>
          );
        })}
      </nav>
      {onFold !== null && (
        <div className={folded ? "flex justify-center p-2" : "flex justify-end p-2"}>
          <IconButton
            label={folded ? t("app.menuUnfold") : t("app.menuFold")}
            icon={
              folded ? (
                <PanelLeftOpen size={16} aria-hidden />
              ) : (
                <PanelLeftClose size={16} aria-hidden />
              )
            }
            onClick={onFold}
          />
        </div>
      )}
    </>
  );
}
