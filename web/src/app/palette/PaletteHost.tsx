import { type ComponentType, useEffect, useState, useSyncExternalStore } from "react";
import { withTexts } from "#i18n/t.ts";
import { toastError } from "#ui/overlays/toast.ts";
import { closePalette, followPaletteKey, paletteStore } from "./palette-store.ts";

type Palette = ComponentType<{ readonly open: boolean; readonly firstText: string }>;

/** Draws the command palette, whose code is loaded when it is first opened. */
export function PaletteHost() {
  const { open, opening, text } = useSyncExternalStore(paletteStore.subscribe, paletteStore.read);
  const [Palette, setPalette] = useState<Palette | null>(null);
  useEffect(() => {
    const stop = followPaletteKey();
    return () => {
      stop();
      closePalette();
    };
  }, []);
  const isMissing = open && Palette === null;
  useEffect(() => {
    if (!isMissing) return;
    withTexts("palette", import("./Palette.tsx")).then(
      (loaded) => setPalette(() => loaded.Palette),
      (error: unknown) => {
        closePalette();
        toastError(error);
      },
    );
  }, [isMissing]);
  return Palette === null ? null : <Palette key={opening} open={open} firstText={text} />;
}
