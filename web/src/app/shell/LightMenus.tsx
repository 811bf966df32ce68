import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { LanguageMenu } from "./LanguageMenu.tsx";
import type { LightMenu } from "./LightTools.tsx";
import { ThemeMenu } from "./ThemeMenu.tsx";

/**
 * The real menus, which replace the buttons of `LightTools` once one of them is pressed (`opened`).
 */
export function LightMenus({ opened }: { readonly opened: LightMenu }) {
  return (
    <KitRoot>
      <ThemeMenu opensAtOnce={opened === "theme"} />
      <LanguageMenu opensAtOnce={opened === "language"} />
    </KitRoot>
  );
}
