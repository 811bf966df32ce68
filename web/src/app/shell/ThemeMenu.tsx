import { Check } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { chooseTheme, themes, useTheme } from "#app/theme.ts";
import { themeIcons, themeNames } from "./theme-names.ts";

/**
 * Chooses light, dark or the system's theme. `opensAtOnce`: the menu is open when first drawn,
 * because the user pressed the button it replaces.
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
