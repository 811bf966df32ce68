import { lazy, type ReactNode, Suspense, useState, useSyncExternalStore } from "react";
import { useT } from "#i18n/t.ts";
import { AppFrame } from "#ui/layout/AppFrame.tsx";
import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { Footer } from "./Footer.tsx";
import { NewYear } from "./NewYear.tsx";
import { keepMenuFolded, menuFoldedStore } from "#app/preferences.ts";
import { PaletteHost } from "#app/palette/PaletteHost.tsx";
import { SideMenu } from "./SideMenu.tsx";
import { StatusNotice } from "./StatusNotice.tsx";
import { TopBar } from "./TopBar.tsx";
import { useScreen } from "#app/routing/use-screen.ts";

const PhoneDrawer = lazy(async () => ({
  default: (await import("./PhoneDrawer.tsx")).PhoneDrawer,
}));

/** The whole shell: top bar, side menu or drawer, footer, and the root of the kit. */
export function ConsoleShell({ children }: { readonly children: ReactNode }) {
  const t = useT();
  const screen = useScreen();
  const session = useSession();
  const folded = useMenuFolded();
  const [drawerOpen, setDrawerOpen] = useState(false);
  const [drawerWanted, setDrawerWanted] = useState(false);
  const openDrawer = () => {
    setDrawerWanted(true);
    setDrawerOpen(true);
  };
  const withMenu = session !== null && screen !== undefined && screen.frame === undefined;
  return (
    <KitRoot>
      <AppFrame
        bar={<TopBar onMenu={openDrawer} />}
        menu={withMenu ? <SideMenu folded={folded} onFold={() => keepMenuFolded(!folded)} /> : null}
        menuFolded={folded}
        notice={<StatusNotice />}
        footer={<Footer />}
        skipLabel={t("app.skipToContent")}
      >
        {children}
      </AppFrame>
      <Suspense>
        {drawerWanted && <PhoneDrawer open={drawerOpen} onClose={() => setDrawerOpen(false)} />}
      </Suspense>
      <PaletteHost />
      <NewYear />
    </KitRoot>
  );
}

/** Whether the menu is folded: the choice in this browser, or else the server's default. */
function useMenuFolded(): boolean {
  const chosen = useSyncExternalStore(menuFoldedStore.subscribe, menuFoldedStore.read);
  const status = useStatus();
  return chosen ?? status?.default_collapse_sidebar ?? false;
}
