import { Check, Monitor, Moon, Sun } from "lucide-react";
import { type TextKey, useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { chooseTheme, type Theme, themes, useTheme } from "#app/theme.ts";

export const themeNames = {
  light: "app.themeLight",
  dark: "app.themeDark",
  system: "app.themeSystem",
} as const satisfies Record<Theme, TextKey>;

export const themeIcons = { light: Sun, dark: Moon, system: Monitor } as const;

/** Light, dark, or as the system is set. */
export function ThemeMenu() {
  const t = useT();
  const chosen = useTheme();
  const Icon = themeIcons[chosen];
  return (
    <Menu
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
