/**
 * The theme: light, dark, or the system's. `before-paint.js` sets it before the first paint;
 * this module changes it later.
 */

import { useSyncExternalStore } from "react";
import { openStore } from "#api/store.ts";
import { storageKey } from "#page/base-path.ts";

export const themes = ["light", "dark", "system"] as const;
export type Theme = (typeof themes)[number];

/** Key in local storage for the chosen theme; absent: `system`. */
const themeKey = storageKey("theme");

const systemDark = matchMedia("(prefers-color-scheme: dark)");

const chosen = openStore<Theme>(readStored());

export function useTheme(): Theme {
  return useSyncExternalStore(chosen.subscribe, chosen.read);
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(themeKey);
  else localStorage.setItem(themeKey, theme);
  chosen.write(theme);
  showTheme();
}

/**
 * Applies the theme now, because a proxy that changes the page makes the browser refuse the script
 * that did so before the first paint; and whenever the system's setting changes, or the user chooses
 * another theme in another tab.
 */
export function followTheme(): void {
  showTheme();
  systemDark.addEventListener("change", showTheme);
  window.addEventListener("storage", ({ key }) => {
    if (key !== themeKey) return;
    chosen.write(readStored());
    showTheme();
  });
}

function showTheme(): void {
  const theme = chosen.read();
  const dark = theme === "dark" || (theme === "system" && systemDark.matches);
  const { classList } = document.documentElement;
  if (classList.contains("dark") === dark) return;
  // Turns off the colour transition of switches while the theme changes: a long table has a hundred
  // of them.
  classList.add("switching-theme");
  classList.toggle("dark", dark);
  requestAnimationFrame(() => {
    requestAnimationFrame(() => classList.remove("switching-theme"));
  });
}

function readStored(): Theme {
  const stored = localStorage.getItem(themeKey);
  return themes.find((theme) => theme === stored) ?? "system";
}
