/** The side menu. */

import { ArrowDown, ArrowUp, Ellipsis, PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { useEffect, useRef } from "react";
import { type T, type TextKey, useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { NavEntry, NavGroup } from "#ui/layout/NavEntry.tsx";
import { NavFoot } from "#ui/layout/NavNote.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { BalanceNote } from "#app/balance/BalanceNote.tsx";
import { StartNote } from "#app/StartNote.tsx";
import { changeMenuSections, moved, useMenuSections, withOpen } from "./menu-sections.ts";
import type { MenuGroup } from "#app/screen.ts";
import { menuEntries } from "./side-menu-entries.ts";
import { usePath } from "#app/routing/use-screen.ts";

const titles = {
  main: "shell.menuMain",
  chats: "shell.menuChats",
  manage: "shell.menuManage",
} as const satisfies Record<MenuGroup, TextKey>;

export function SideMenu(props: {
  readonly folded: boolean;
  /** Folds and unfolds the menu; null: it cannot be folded, as in the drawer. */
  readonly onFold: (() => void) | null;
  /**
   * Called when the user chooses an entry, even that of the current screen; the drawer then closes.
   */
  readonly onChoose?: () => void;
}) {
  const { folded, onFold, onChoose } = props;
  const t = useT();
  const session = useSession();
  const status = useStatus();
  const path = usePath();
  const { order, closed } = useMenuSections();
  const groups = order
    .map((group) => ({ group, entries: menuEntries(group, session, status, t) }))
    .filter(({ entries }) => entries.length > 0);
  const shown = groups.map(({ group }) => group);
  const current = entryOf(
    path,
    groups.flatMap(({ entries }) => entries.map(({ to }) => to)),
  );
  const entriesPlace = useRef<HTMLElement>(null);
  // In a low window the entry of the screen may be below the fold.
  useEffect(() => {
    const entry = entriesPlace.current?.querySelector("[aria-current=page]");
    entry?.scrollIntoView({ block: "nearest" });
  }, [path, shown.length]);
  return (
    // Only the entries scroll: the balance stays in view however many entries there are. The version
    // at the bottom is inside a landmark as well, because screen readers skip what is outside of all
    // landmarks.
    <div className="flex min-h-0 flex-1 flex-col">
      <nav
        ref={entriesPlace}
        aria-label={t("app.menu")}
        className="min-h-0 flex-1 [scrollbar-width:thin] overflow-y-auto p-2"
      >
        {groups.map(({ group, entries }, index) => {
          const open = !closed.includes(group);
          // The entry of the current screen stays visible even in a folded section.
          const visible = entries.filter(({ to }) => open || folded || to === current);
          return (
            <NavGroup
              key={group}
              title={t(titles[group])}
              folded={folded}
              first={index === 0}
              open={open}
              onOpen={(next) => changeMenuSections((before) => withOpen(before, group, next))}
              {...(shown.length > 1 ? { actions: sectionMenu(group, shown, t) } : {})}
            >
              {visible.map(({ to, label, Icon }) => (
                <NavEntry
                  key={to}
                  to={to}
                  icon={<Icon size={16} aria-hidden />}
                  label={label}
                  current={to === current}
                  folded={folded}
                  onClick={onChoose}
                />
              ))}
            </NavGroup>
          );
        })}
      </nav>
      <NavFoot label={t("shell.account")}>
        {session !== null && <StartNote user={session} folded={folded} onChoose={onChoose} />}
        {session !== null && <BalanceNote folded={folded} onChoose={onChoose} />}
        <div className={folded ? "flex justify-center p-2" : "flex items-center gap-2 p-2 pl-4"}>
          {!folded && <Version />}
          {onFold !== null && (
            <span className={folded ? "" : "ml-auto"}>
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
            </span>
          )}
        </div>
      </NavFoot>
    </div>
  );
}

/**
 * Returns the items of the menu of a section's title, which move the section up or down among the
 * shown sections.
 */
function sectionMenu(group: MenuGroup, shown: readonly MenuGroup[], t: T) {
  const place = shown.indexOf(group);
  const move = (step: -1 | 1) => () =>
    changeMenuSections((before) => moved(before, group, step, shown));
  const up = {
    key: "up",
    label: t("shell.moveUp"),
    icon: <ArrowUp size={14} aria-hidden />,
    onSelect: move(-1),
  };
  const down = {
    key: "down",
    label: t("shell.moveDown"),
    icon: <ArrowDown size={14} aria-hidden />,
    onSelect: move(1),
  };
  return (
    <Menu
      trigger={
        <IconButton
          size="sm"
          label={t("shell.sectionMenu", { name: t(titles[group]) })}
          icon={<Ellipsis size={14} aria-hidden />}
        />
      }
      items={[...(place > 0 ? [up] : []), ...(place < shown.length - 1 ? [down] : [])]}
    />
  );
}

/** Shows the installed version, and whether this is a demo. */
function Version() {
  const t = useT();
  const status = useStatus();
  if (status === undefined) return null;
  return (
    <span className="flex min-w-0 items-center gap-2 text-xs">
      <span className="truncate">
        <Muted>{t("shell.version", { version: status.version })}</Muted>
      </span>
      {status.demo_site_enabled && <Badge tone="info">{t("shell.demoSite")}</Badge>}
    </span>
  );
}

/** The entry of a screen: its own, else that of the screen above it, as of `/prices` for `/prices/sources`. */
function entryOf(path: string, entries: readonly string[]): string | undefined {
  const above = entries.filter((to) => path === to || path.startsWith(`${to}/`));
  return above.toSorted((one, other) => other.length - one.length)[0];
}
