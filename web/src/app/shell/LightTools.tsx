import { Languages } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useT } from "#i18n/t.ts";
import { buttonLook } from "#ui/controls/button-look.ts";
import { useTheme } from "#app/theme.ts";
import { themeIcons } from "./theme-names.ts";

const loadMenus = () => import("./LightMenus.tsx");

const LightMenus = lazy(async () => ({ default: (await loadMenus()).LightMenus }));

/** The menus of the sign-in screens, by name. */
export type LightMenu = "theme" | "language";

/**
 * The tools of the top bar on the sign-in screens. The code of menus is a third of the console's
 * code, so plain buttons stand in for the menus until one is pressed.
 */
export function LightTools() {
  const t = useT();
  const [opened, setOpened] = useState<LightMenu | null>(null);
  const Icon = themeIcons[useTheme()];
  const buttons = (
    <>
      <StandIn label={t("app.theme")} onOpen={() => setOpened("theme")}>
        <Icon size={16} aria-hidden />
      </StandIn>
      <StandIn label={t("app.language")} onOpen={() => setOpened("language")}>
        <Languages size={16} aria-hidden />
      </StandIn>
    </>
  );
  if (opened === null) return buttons;
  return (
    <Suspense fallback={buttons}>
      <LightMenus opened={opened} />
    </Suspense>
  );
}

function StandIn(props: {
  readonly label: string;
  readonly onOpen: () => void;
  readonly children: React.ReactNode;
}) {
  // Starts to load the menus when the pointer or the focus reaches the button, before it is
  // pressed.
  const prepare = () => void loadMenus().catch(() => undefined);
  return (
    <button
      type="button"
      aria-label={props.label}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={prepare}
      onFocus={prepare}
      onClick={props.onOpen}
      className={buttonLook("ghost", "md", false, "square")}
    >
      {props.children}
    </button>
  );
}
