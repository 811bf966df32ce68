import { KitRoot } from "#ui/overlays/KitRoot.tsx";
import { LanguageMenu } from "./LanguageMenu.tsx";
import { ThemeMenu } from "./ThemeMenu.tsx";

/** What nobody who wants to sign in has to wait for. */
export function LightTools() {
  return (
    <KitRoot>
      <ThemeMenu />
      <LanguageMenu />
    </KitRoot>
  );
}
