import { Search } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Kbd } from "#ui/layout/Kbd.tsx";
import { openPalette, paletteKey } from "./palette-store.ts";

/** The button that opens the command palette, with its shortcut; phones show the icon alone. */
export function PaletteButton() {
  const t = useT();
  return (
    <>
      <span className="max-md:hidden">
        <Button
          icon={<Search size={14} aria-hidden />}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => openPalette()}
        >
          <Muted>{t("shell.search")}</Muted>
          <span className="ml-3">
            <Kbd>{paletteKey()}</Kbd>
          </span>
        </Button>
      </span>
      <span className="md:hidden">
        <IconButton
          label={t("shell.search")}
          icon={<Search size={16} aria-hidden />}
          onClick={() => openPalette()}
        />
      </span>
    </>
  );
}
