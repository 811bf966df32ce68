import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { LanguageMenu } from "./LanguageMenu.tsx";
import { ThemeMenu } from "./ThemeMenu.tsx";

/** The tools of the top bar that load at once, for the sign-in screens. */
export function LightTools() {
  return (
    <KitRoot>
      <ThemeMenu />
      <LanguageMenu />
    </KitRoot>
  );
}
