import { useLocation } from "@tanstack/react-router";
import {
  type ComponentType,
  type ReactNode,
  useEffect,
  useState,
  useSyncExternalStore,
} from "react";
import { useT } from "#i18n/t.ts";
import { AppFrame } from "#ui/layout/AppFrame.tsx";
import { leaveFaults } from "#ui/overlays/open-faults.ts";
import { toastError } from "#ui/overlays/toast.ts";
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

const loadDrawer = async () => (await import("./PhoneDrawer.tsx")).PhoneDrawer;

type Drawer = ComponentType<{ readonly open: boolean; readonly onClose: () => void }>;

/** The full shell: top bar, side menu or drawer, footer, and the root of the UI kit. */
export function ConsoleShell({ children }: { readonly children: ReactNode }) {
  const t = useT();
  const screen = useScreen();
  const session = useSession();
  const folded = useMenuFolded();
  const [drawerOpen, setDrawerOpen] = useState(false);
  const [Drawer, setDrawer] = useState<Drawer | null>(null);
  useEarlyDrawer();
  // Loads the drawer before opening it, and shows a failure as a toast. With a lazy component, the
  // failure would replace the whole shell.
  const openDrawer = () => {
    loadDrawer().then((loaded) => {
      setDrawer(() => loaded);
      setDrawerOpen(true);
    }, toastError);
  };
  const { pathname } = useLocation();
  useEffect(() => leaveFaults, [pathname]);
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
      {Drawer !== null && <Drawer open={drawerOpen} onClose={() => setDrawerOpen(false)} />}
      <PaletteHost />
      <NewYear />
    </KitRoot>
  );
}

/** Windows on which the side menu takes room that lists need. Below 768 px there is no side menu. */
const narrowQuery = "(max-width: 1023px)";

function subscribeNarrow(listener: () => void): () => void {
  const media = matchMedia(narrowQuery);
  media.addEventListener("change", listener);
  return () => media.removeEventListener("change", listener);
}

/**
 * On windows where the drawer replaces the side menu, loads the drawer's code in advance, so that
 * it opens even when the server is down.
 */
function useEarlyDrawer(): void {
  useEffect(() => {
    if (matchMedia(narrowQuery).matches) void loadDrawer().catch(() => undefined);
  }, []);
}

/**
 * Whether the menu is folded: the choice in this browser, or else the server's default. On a window
 * that is too narrow for both, the menu is folded at first, so that lists keep their columns.
 */
function useMenuFolded(): boolean {
  const chosen = useSyncExternalStore(menuFoldedStore.subscribe, menuFoldedStore.read);
  const status = useStatus();
  const isNarrow = useSyncExternalStore(subscribeNarrow, () => matchMedia(narrowQuery).matches);
  return chosen ?? (isNarrow || (status?.default_collapse_sidebar ?? false));
}
