/** The names and icons of the themes. */

import { Monitor, Moon, Sun } from "lucide-react";
import type { TextKey } from "#i18n/t.ts";
import type { Theme } from "#app/theme.ts";

export const themeNames = {
  light: "app.themeLight",
  dark: "app.themeDark",
  system: "app.themeSystem",
} as const satisfies Record<Theme, TextKey>;

export const themeIcons = { light: Sun, dark: Moon, system: Monitor } as const;
