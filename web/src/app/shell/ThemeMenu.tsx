import { Check } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { chooseTheme, themes, useTheme } from "#app/theme.ts";
import { themeIcons, themeNames } from "./theme-names.ts";

/**
 * The menu that chooses the light, the dark or the system's theme. `opensAtOnce`: the menu is open
 * when it is first drawn, because it replaces a button that the user has pressed.
 */
export function ThemeMenu({ opensAtOnce = false }: { readonly opensAtOnce?: boolean }) {
  const t = useT();
  const chosen = useTheme();
  const Icon = themeIcons[chosen];
  return (
    <Menu
      opensAtOnce={opensAtOnce}
      trigger={<IconButton label={t("app.theme")} icon={<Icon size={16} aria-hidden />} />}
      items={themes.map((theme) => ({
        key: theme,
        label: t(themeNames[theme]),
        icon: <Check size={14} aria-hidden className={theme === chosen ? "" : "invisible"} />,
        onSelect: () => chooseTheme(theme),
      }))}
    />
  );
}
