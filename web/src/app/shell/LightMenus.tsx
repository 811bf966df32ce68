import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { LanguageMenu } from "./LanguageMenu.tsx";
import type { LightMenu } from "./LightTools.tsx";
import { ThemeMenu } from "./ThemeMenu.tsx";

/**
 * The menus that replace the plain buttons of `LightTools` when one of these is pressed; `opened`
 * is the pressed one.
 */
export function LightMenus({ opened }: { readonly opened: LightMenu }) {
  return (
    <KitRoot>
      <ThemeMenu opensAtOnce={opened === "theme"} />
      <LanguageMenu opensAtOnce={opened === "language"} />
    </KitRoot>
  );
}
